"""Asks the judges that exist only for Node: a script of this folder, JSON in, JSON out."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


def ask(script: str, question: Any) -> Any:
    """What a script of this folder answers; the test is skipped, saying so, where Node is missing."""
    if not (node := shutil.which("node")):
        pytest.skip("needs Node: apt-get install nodejs npm")
    if not (HERE / "node_modules").is_dir():
        pytest.skip("needs the packages of tests/node: npm ci there")
    answer = subprocess.run(
        [node, HERE / script],
        input=json.dumps(question).encode(),
        capture_output=True,
        check=True,
        timeout=100,
    )
    return json.loads(answer.stdout)
