"""The clock: whether it goes right, and knows the rules of the newsletters' time zones."""

import http.client
import re
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import TZPATH, ZoneInfo

from bot.doctor import Patient, Sign, good, skipped, warning
from bot.doctor.slack import conversations
from bot.settings import Settings

NETWORK = False
TIMEOUT = 5
"""Seconds that a web server may take to say what time it is."""
APART = timedelta(seconds=30)
"""How far two clocks may be apart: a Date header has whole seconds, and its way takes some."""
OLD = 2
"""Years after which the rules of time zones are out of date: a few countries change theirs each year."""


def examine(patient: Patient) -> Iterator[Sign]:
    """Look at the zones, then ask others for the time."""
    release = zone_release()
    for zone in {one.schedule.zone.key: one.schedule.zone for one in patient.settings.newsletters.values()}:
        yield judged_zone(zone, patient.now)
    yield judged_rules(release, patient.now)
    if patient.offline:
        yield skipped("clock", "not compared with others: --offline")
        return
    yield from _compared(sources(patient.settings))


def _compared(urls: list[str]) -> Iterator[Sign]:
    asked = {url: offset(url) for url in urls}
    known = {url: apart for url, apart in asked.items() if apart is not None}
    if not known:
        whom = ", ".join(urls) or "base_url and Slack are not elsewhere"
        yield skipped("clock", f"nobody to compare it with: {whom}")
    for url, apart in known.items():
        yield judged_offset(url, apart)


def sources(settings: Settings) -> list[str]:
    """Web servers on other machines that have to do with us."""
    return [url for url in (settings.url, *conversations(settings)) if not _is_here(urlsplit(url).hostname)]


def _is_here(host: str | None) -> bool:
    try:
        return ip_address(host or "").is_loopback
    except ValueError:
        return host in {None, "localhost"}


def offset(url: str) -> timedelta | None:
    """How far a web server's clock is ahead of ours; None where it does not say."""
    before = datetime.now(UTC)
    theirs = _date(url)
    return theirs - before - (datetime.now(UTC) - before) / 2 if theirs else None


def _date(url: str) -> datetime | None:
    parts = urlsplit(url)
    try:
        connection = _connection(parts.scheme, parts.hostname or "", parts.port)
    except ValueError:
        return None
    try:
        connection.request("HEAD", parts.path or "/")
        found = parsedate_to_datetime(connection.getresponse().headers.get("Date", ""))
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (OSError, http.client.HTTPException, ValueError, OverflowError):
        return None
    finally:
        connection.close()


def _connection(scheme: str, host: str, port: int | None) -> http.client.HTTPConnection:
    if scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, port, timeout=TIMEOUT, context=context)
    return http.client.HTTPConnection(host, port, timeout=TIMEOUT)


def zone_release() -> str:
    """The release of the time zones' rules, such as 2025b or 2025.2; nothing where it cannot be told."""
    for folder in TZPATH:
        file = Path(folder) / "tzdata.zi"
        if file.is_file():
            with file.open("rb") as lines:
                found = re.match(rb"# version (\d{4}[a-z]+)", lines.readline(200))
            return found[1].decode() if found else ""
        if Path(folder, "UTC").is_file():
            return ""
    return version("tzdata")  # the package, where the system has none of its own: 2025.2


# ------------------------------------------------------------------------------------------------- judgement


def judged_zone(name: str, now: datetime) -> Sign:
    """Say what time it is in a zone, so that a person can see whether that is so."""
    local = now.astimezone(ZoneInfo(name))
    return good(name, f"it is {local:%a %Y-%m-%d %H:%M %z} there")


def judged_rules(release: str, now: datetime) -> Sign:
    """Judge the age of the time zones' rules."""
    if not release:
        return good("time zones", "of a release that this system does not name")
    if now.year - int(release[:4]) > OLD:
        return warning("time zones", f"the rules are those of {release}", "update the tzdata package")
    return good("time zones", f"the rules are those of {release}")


def judged_offset(where: str, apart: timedelta) -> Sign:
    """Judge how far another's clock is ahead of ours."""
    seconds = round(apart.total_seconds())
    if abs(apart) <= APART:
        return good(where, f"its clock and ours agree ({seconds:+} s)")
    words = f"our clock is {abs(seconds)} s {'behind' if seconds > 0 else 'ahead of'} that one"
    return warning(where, words, "let the system keep the time (systemd-timesyncd, chrony)")
