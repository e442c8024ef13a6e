"""Asks the web about addresses, politely, and never anybody who is not on the public internet.

    addresses → those that are remembered → the others, host by host: HEAD, GET, redirects → answers → memory

`conversation` decides what to ask next, `Wire` asks one thing of one checked address, `Hosts` keeps the pace.
"""

from bot.lookups.addresses import is_public, resolve
from bot.lookups.asking import Wire
from bot.lookups.hosts import Hosts
from bot.lookups.looking import Lookups
from bot.lookups.memory import Memory
from bot.lookups.titles import title

__all__ = ["Hosts", "Lookups", "Memory", "Wire", "is_public", "resolve", "title"]
