"""The ledger's database, SQLite or PostgreSQL by SQLAlchemy Core; all SQL of the product is here."""

from bot.store.engine import Store, open_store, store_of_nothing, store_to_look_at

__all__ = ["Store", "open_store", "store_of_nothing", "store_to_look_at"]
