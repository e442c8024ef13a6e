"""What the stories share."""

from pathlib import Path

import pytest

from tests.stories.installation import Installation


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an installation with one reader: made once by the real command, for stories to copy."""
    made = Installation(tmp_path_factory.mktemp("begun"))
    made.readers(1)
    return made.root
