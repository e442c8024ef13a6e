"""For machines that watch: is the process alive, is it ready, and what waits."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from flask import Blueprint, Response, abort, request

from bot.errors import StoreError
from bot.store import figures
from bot.store.engine import is_current
from bot.store.figures import Count, Waiting
from bot.web.site import Site

_FROM_OUTSIDE = ("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP")
"""What proxies add: figures are for who asks this process itself."""


def blueprint(site: Site) -> Blueprint:
    """`/healthz`, `/readyz` and `/metrics`."""
    pages, views = Blueprint("health", __name__), _Views(site)
    for name in ("healthz", "readyz", "metrics"):
        pages.add_url_rule(f"/{name}", name, getattr(views, name))
    return pages


class _Views:
    def __init__(self, site: Site) -> None:
        self._site = site

    def healthz(self) -> Response:
        """The process answers."""
        return _plain("ok\n")

    def readyz(self) -> Response:
        """The database answers as well, and has the tables of this release."""
        try:
            ready = is_current(self._site.store)
        except StoreError:
            return _plain("the database cannot be reached\n", 503)
        return _plain("ok\n") if ready else _plain("the database is not of this release\n", 503)

    def metrics(self) -> Response:
        """Figures in Prometheus' text format; not for who comes through a proxy."""
        if any(name in request.headers for name in _FROM_OUTSIDE):
            abort(404)
        with self._site.store.read() as connection:
            lines = exposition(figures.newest(connection), figures.waiting(connection), self._site.clock())
        text = "".join(f"{line}\n" for line in lines)
        return Response(text, content_type="text/plain; version=0.0.4; charset=utf-8")


def exposition(counts: Iterable[Count], waits: Iterable[Waiting], now: datetime) -> Iterator[str]:
    """The figures as lines (https://prometheus.io/docs/instrumenting/exposition_formats/)."""
    waits = list(waits)
    yield "# HELP broadsheet_deliveries Deliveries of each newsletter's newest issue, by state."
    yield "# TYPE broadsheet_deliveries gauge"
    for one in counts:
        labels = f'newsletter="{one.newsletter}",channel="{one.channel}",state="{one.state}"'
        yield f"broadsheet_deliveries{{{labels}}} {one.deliveries}"
    yield "# HELP broadsheet_waiting Deliveries of any issue that wait to be sent."
    yield "# TYPE broadsheet_waiting gauge"
    for wait in waits:
        yield f"broadsheet_waiting{{{_whose(wait)}}} {wait.deliveries}"
    yield "# HELP broadsheet_oldest_waiting_seconds How long ago the oldest issue of these was published."
    yield "# TYPE broadsheet_oldest_waiting_seconds gauge"
    for wait in waits:
        age = max(0, int((now - wait.since).total_seconds()))
        yield f"broadsheet_oldest_waiting_seconds{{{_whose(wait)}}} {age}"


def _whose(wait: Waiting) -> str:
    """Labels; names of newsletters and channels need no escaping."""
    return f'newsletter="{wait.newsletter}",channel="{wait.channel}"'


def _plain(text: str, status: int = 200) -> Response:
    response = Response(text, status, content_type="text/plain; charset=utf-8")
    response.headers["Cache-Control"] = "no-store"
    return response
