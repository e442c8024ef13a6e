"""The door of the pages: what a request says of hosts is put right, and what was asked for is noted."""

import logging
import re
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

log = logging.getLogger(__name__)

SECRET = ("/u/", "/studio/decide/", "/studio/enter/")
"""Paths that go on with a token: whoever reads a log must not be able to use it."""
SHOWN = 200
"""Characters of a path in the log."""

_ADDRESS = re.compile(r"[^/]*@[^/]*")


class Door:
    """Stands around the application (PEP 3333).

    The host and scheme are those of `base_url`, whatever the request says, so that no link can be forged by a
    `Host` header; what it said stays readable as `broadsheet.host`. The path of `base_url` may stand in front
    of ours, or have been taken away by a proxy.
    """

    def __init__(self, inner: "WSGIApplication", base_url: str) -> None:
        parts = urlsplit(base_url)
        self._inner, self._host, self._scheme, self._prefix = inner, parts.netloc, parts.scheme, parts.path

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        environ["broadsheet.host"] = environ.get("HTTP_HOST", "")
        environ["HTTP_HOST"], environ["wsgi.url_scheme"] = self._host, self._scheme
        path: str = environ.get("PATH_INFO", "")
        if self._prefix and f"{path}/".startswith(f"{self._prefix}/"):
            environ["SCRIPT_NAME"], environ["PATH_INFO"] = self._prefix, path[len(self._prefix) :] or "/"
        return self._inner(environ, _noting(environ, start_response))


def _noting(environ: "WSGIEnvironment", start_response: "StartResponse") -> "StartResponse":
    """The same, and one line in the log: method, path, status, time; who asked is nobody's business."""
    began, path, method = time.monotonic(), shown(environ["PATH_INFO"]), environ["REQUEST_METHOD"]

    def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Callable[[bytes], object]:
        took = (time.monotonic() - began) * 1000
        log.info("%s %s %s %.0f ms", shown(method), path, status[:3], took, extra={"action": "request"})
        return start_response(status, headers, exc_info)

    return start


def shown(path: str) -> str:
    """A path as a log may hold it: one short line, without tokens and addresses."""
    for beginning in SECRET:
        if path.startswith(beginning):
            return f"{beginning}…"
    text = path.encode("latin-1", "replace").decode("utf-8", "replace")  # what WSGI makes of it (PEP 3333)
    text = "".join(sign if sign.isprintable() and sign != " " else "?" for sign in text[:SHOWN])
    return _ADDRESS.sub("…", text)
