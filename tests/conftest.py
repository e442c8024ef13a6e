"""What every test may ask for."""

from pathlib import Path

import pytest

from tests.browser import chromium
from tests.servers.postfix import postfix
from tests.servers.postgres import cluster, database, migrated, store

__all__ = ["chromium", "cluster", "database", "migrated", "postfix", "shared", "store"]

CORPUS = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Real newsletters, beside the checkout where there are any."""
    if not CORPUS.is_dir():
        pytest.skip("no folder of real newsletters beside this checkout: ../shared is missing")
    return CORPUS
