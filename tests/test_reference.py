"""The reference is made from the code, and nobody forgot to make it."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", DOCS / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_says_what_the_code_says(reference: ModuleType) -> None:
    for name, text in reference.pages().items():
        written = (DOCS / "reference" / name).read_text("utf-8")
        assert written == text, f"docs/reference/{name} is out of date: python docs/reference.py"


def test_every_key_of_the_configuration_is_explained(reference: ModuleType) -> None:
    rows = [row for row in reference.pages()["configuration.md"].splitlines() if row.startswith("| `")]
    assert [row for row in rows if row.endswith("| |")] == []
