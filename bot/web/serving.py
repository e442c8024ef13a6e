"""Serves the pages: one listening socket and waitress, in a thread that ends when it is asked to."""

import errno
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from threading import Thread
from typing import TYPE_CHECKING, Any

from waitress import wasyncore
from waitress.server import create_server

from bot.app import App
from bot.errors import InputError
from bot.web import LARGEST_BODY, application
from bot.web.studio import WAITING, Studio

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

THREADS = 4
"""Requests that are answered at the same time, besides those that wait for a change; more wait in line."""
CONNECTIONS = 200
"""Connections that are open at the same time."""
PATIENCE = 30
"""Seconds without a word after which a connection is closed."""
HEAD = 16 * 1024
"""Bytes of a request's line and headers."""


@contextmanager
def serving(app: App, clock: Callable[[], datetime], studio: Studio | None = None) -> Iterator[str]:
    """Serve the pages of an installation on `[web] listen` for as long as this lasts; gives their address.

    The app is the pages' own, with connections of its own: however many ask, nothing else waits for them.
    Port 0 takes a free one.
    """
    # A database that cannot be opened is told now, and not to the first who asks.
    studio = studio or Studio(app, clock)
    with (
        closing(_listening(app.settings.web.listen)) as listening,
        closing(app.store),
        _served(application(app, clock, studio), listening),
        studio.alive(),
    ):
        host, port = listening.getsockname()[:2]
        studio.address = f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
        yield studio.address


def _listening(listen: str) -> socket.socket:
    """A socket that listens; InputError, in one line, where it cannot."""
    host, _, port = listen.rpartition(":")
    host = host.strip("[]")
    try:
        found = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        return socket.create_server(address[:2], family=family, backlog=128)
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        what = "another program listens there" if taken else (error.strerror or "cannot be listened on")
        mend = "end it, or name another port" if taken else "name an address of this machine"
        raise InputError("config/bot.toml", f"web.listen: {listen}: {what}", mend) from error


@contextmanager
def _served(pages: "WSGIApplication", listening: socket.socket) -> Iterator[None]:
    """Waitress on this socket, in its own thread."""
    # It would log paths, and paths hold tokens: the door logs what is asked, and what went wrong.
    logging.getLogger("waitress").setLevel(logging.CRITICAL)
    sockets: dict[int, Any] = {}
    server: Any = create_server(
        pages,
        map=sockets,
        sockets=[listening],
        threads=THREADS + WAITING,
        channel_request_lookahead=1,  # so that who waits for a change is noticed when they are gone
        connection_limit=CONNECTIONS,
        channel_timeout=PATIENCE,
        max_request_header_size=HEAD,
        max_request_body_size=LARGEST_BODY,
        clear_untrusted_proxy_headers=False,  # they are trusted nowhere, and tell who came through a proxy
        ident="",  # what we are made of is nobody's business
    )
    thread = Thread(target=server.run, name="pages", daemon=True)
    thread.start()
    try:
        yield
    finally:
        # The server's own thread ends when nothing is left to listen to. Sockets are closed last: what wakes
        # it is one of them, and whoever has answered wakes it, too.
        every = dict[int, Any]()

        def end() -> None:
            every.update(sockets)
            sockets.clear()

        server.trigger.pull_trigger(end)
        thread.join()
        server.task_dispatcher.shutdown()
        wasyncore.close_all(every)
