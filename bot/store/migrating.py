"""Runs Alembic's migrations, by one process at a time."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError
from sqlalchemy import Engine, text

from bot.errors import StoreError

LOCK = 0x42524F41
"""PostgreSQL's advisory lock for migrating: any number that nobody else takes."""


def configuration() -> Config:
    """Alembic's configuration, for us and for `alembic revision` in a checkout."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


def upgrade(engine: Engine) -> None:
    """Bring the tables up to date; StoreError where a newer release has been here."""
    config = configuration()
    with engine.connect() as connection, connection.execution_options(writing=True).begin():
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise StoreError("the database was made by a newer release: install that one") from error
