"""Broadsheet: a curated newsletter by email and chat, each reader exactly once."""

__version__ = "0.1.0"
