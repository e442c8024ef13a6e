"""What every test may ask for."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests.browser import chromium
from tests.servers.postfix import postfix
from tests.servers.postgres import cluster, database, empty_database, migrated, migrated_template, store

if TYPE_CHECKING:  # most tests need no pages
    from tests.studio import House
    from tests.website import Website

__all__ = [
    "chromium", "cluster", "database", "empty_database", "migrated", "migrated_template", "postfix",
    "shared", "store",
]  # fmt: skip

# No example is too slow, and none takes too long to draw: how long that is, the machine's other work decides.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

CORPUS = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Real newsletters, beside the checkout where there are any."""
    if not CORPUS.is_dir():
        pytest.skip("no folder of real newsletters beside this checkout: ../shared is missing")
    return CORPUS


@pytest.fixture
def new_website(tmp_path: Path, migrated: Path) -> "Iterator[Callable[..., Website]]":
    """Makes pages of an installation in this test's folder: see `tests.website`."""
    from tests.website import Website  # noqa: PLC0415 (most tests need no pages)

    shutil.copyfile(migrated, tmp_path / "ledger.db")
    with ExitStack() as opened:

        def made(base_url: str = "https://papers.example.org", **newsletters: dict[str, Any]) -> Website:
            return opened.enter_context(closing(Website(tmp_path, base_url, **newsletters)))

        yield made


@pytest.fixture
def new_house(tmp_path: Path, migrated: Path) -> "Iterator[Callable[..., House]]":
    """Makes an installation with a studio in this test's folder: see `tests.studio`."""
    from tests.studio import CURATORS, House  # noqa: PLC0415 (most tests need no pages)

    with ExitStack() as opened:

        def made(curators: str = CURATORS, **bot: str) -> House:
            return opened.enter_context(closing(House(tmp_path, migrated, curators, **bot)))

        yield made


@pytest.fixture
def house(new_house: "Callable[..., House]") -> "House":
    """One whose curators are Ann and Bo, of `tests.studio`."""
    return new_house()
