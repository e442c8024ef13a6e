"""The kinds of values that a configuration can hold: each says what it takes when it is given another."""

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Annotated, Literal, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BeforeValidator, Field, HttpUrl, ValidationError

from bot import plugins
from bot.addresses import mailbox_of, on_the_wire
from bot.headers import breach
from bot.plugins import Options, nearest
from bot.settings.faults import Fault, FaultsError, flat

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

LONGEST_BASE_URL = 500

# The mailboxes that nearly everybody has; what looks otherwise is left to a library that is slow to import.
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_PLAIN_MAILBOX = re.compile(
    rf"(?:[^()<>\[\]:;@\\,\"]+ <)?{_ATOM}(?:\.{_ATOM})*@"
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9]>?"
)


class Moment(NamedTuple):
    """A wall-clock time in the week: weekday (0 = Monday) and time of day."""

    weekday: int
    at: time


# ------------------------------------------------------------------------------------------------- time


def _clock(value: object) -> time:
    text = value.isoformat() if isinstance(value, time) else str(value)
    if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d(:00)?", text, re.ASCII):
        raise ValueError(f"{text!r} is not a time such as 09:00")
    return time.fromisoformat(text)


def _moment(value: object) -> Moment:
    if isinstance(value, Moment):
        return value
    day, _, at = str(value).partition(" ")
    if day not in DAYS:
        raise ValueError(f"{value!r} is not a day and a time such as 'fri 08:00'")
    return Moment(DAYS.index(day), _clock(at))


def _duration(value: object) -> timedelta:
    if isinstance(value, timedelta):
        return value
    units = {"m": "minutes", "h": "hours", "d": "days"}
    if not (found := re.fullmatch(r"(\d{1,5})([mhd])", str(value), re.ASCII)):
        raise ValueError(f"{value!r} is not a duration such as 30m, 6h or 2d")
    return timedelta(**{units[found[2]]: int(found[1])})


def _day(value: object) -> date:
    """A date, as TOML writes it or as text; one with a time of day is more than a date."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if not (isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII)):
        raise ValueError(f"{str(value)!r} is not a date such as 2026-12-25")
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise ValueError(f"{value} does not exist: {error}") from error


def _zone(value: object) -> ZoneInfo:
    """A zone of the world; `localtime` would be the server's own, and `right/…` counts leap seconds."""
    name = value.key if isinstance(value, ZoneInfo) else value
    if not isinstance(name, str) or name.startswith(("localtime", "posixrules", "posix/", "right/")):
        raise ValueError(f"{name!r} is not a time zone such as 'Europe/Berlin'")
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        from zoneinfo import available_timezones  # noqa: PLC0415 (reads a directory of 600 files)

        raise ValueError(f"no time zone {name!r}{nearest(name, available_timezones())}") from error


# ------------------------------------------------------------------------------------------------- text


def _one_line(value: str) -> str:
    if fault := breach(value):
        raise ValueError(fault)
    return value


def _lines(value: str) -> str:
    for line in value.splitlines():
        _one_line(line)
    return value


def _shaped(pattern: str, what: str) -> AfterValidator:
    """Take what has the pattern's shape; pydantic's own message would show the pattern."""

    def check(value: str) -> str:
        if not re.fullmatch(pattern, value, re.ASCII):
            raise ValueError(f"{value!r} is not {what}")
        return value

    return AfterValidator(check)


def _password_hash(value: str) -> str:
    """As werkzeug.security writes it; what is not may be a password, and is not repeated."""
    if not re.fullmatch(r"scrypt:[0-9:]{3,30}\$[A-Za-z0-9./+=]{8,64}\$[0-9a-f]{64,256}", value, re.ASCII):
        raise ValueError("is not what `broadsheet curators password` prints")
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty")
    return value


def _greeting(value: str) -> str:
    for field in re.findall(r"\{[^{}]*\}", value):
        if field != "{name}":
            raise ValueError(f"{field} means nothing: {{name}} is the reader's name")
    return value


def _mailbox(value: str) -> str:
    if _PLAIN_MAILBOX.fullmatch(value) and ("<" in value) == (">" in value):
        return _carried(value)
    from email_validator import EmailNotValidError, validate_email  # noqa: PLC0415 (slow to import)

    try:
        # An ASCII local part: a relay without SMTPUTF8 could not take one mail of this newsletter.
        validate_email(
            value,
            allow_display_name=True,
            allow_smtputf8=False,
            check_deliverability=False,
            test_environment=True,
        )
    except EmailNotValidError as error:
        raise ValueError("is not a mailbox such as 'AI Papers <papers@example.org>'") from error
    return _carried(value)


def _address(value: str) -> str:
    """The address alone, without a name before it."""
    if "<" in value or not value.isascii() or "@" not in value:
        raise ValueError("is not an address such as ann@example.org")
    return _mailbox(value)


def _carried(value: str) -> str:
    """A mailbox whose address a header can carry, in ASCII."""
    try:
        on_the_wire(mailbox_of(value)[1])
    except ValueError as error:
        raise ValueError(f"its address {error}") from error
    return value


def domain_of(mailbox: str) -> str:
    """The domain of a mailbox that was taken, as A-labels."""
    return on_the_wire(mailbox_of(mailbox)[1]).rpartition("@")[2]


def _base_url(value: HttpUrl) -> HttpUrl:
    if value.query or value.fragment or value.username or value.password:
        raise ValueError("is not an address that others begin with, such as https://example.org/letters")
    # In List headers a comma parts addresses and a bracket may end one (RFC 2369 §2); none is ever folded.
    if re.search(r"[^\x21-\x7e]|[(),;<>\\\"']", str(value)) or len(str(value)) > LONGEST_BASE_URL:
        raise ValueError(f"has signs that mail headers cannot carry, or over {LONGEST_BASE_URL} characters")
    return value


def _listen(value: str) -> str:
    host, _, port = value.rpartition(":")
    if not host or not re.fullmatch(r"\d{1,5}", port, re.ASCII) or int(port) > 65535:  # noqa: PLR2004 (a port)
        raise ValueError(f"{value!r} is not a host and a port such as 127.0.0.1:8000")
    return value


# ----------------------------------------------------------------------------------------------- checks


def _by_rule(value: object) -> object:
    """What is said of rules, by their whole ids: TOML reads a bare `links.shortener` as a table in a table.

    A variable of the environment cannot hold a hyphen, and no id has an underscore.
    """
    if not isinstance(value, Mapping):
        return value
    said = (pair for name, word in value.items() for pair in _whole(str(name), word))
    return {name.replace("_", "-"): word for name, word in said}


def _whole(name: str, word: object) -> Iterator[tuple[str, object]]:
    if isinstance(word, Mapping):
        yield from ((f"{name}.{inner}", said) for inner, said in word.items())
    else:
        yield name, word


def _sayable(value: dict[str, str]) -> dict[str, str]:
    """What can be said of rules that there are; they are loaded only where something is said of one."""
    if not value:
        return value
    from bot.checks import refusal  # noqa: PLC0415 (slow to import, and imports this package)

    refused = {name: refusal(name, word) for name, word in value.items()}
    faults = [Fault((name,), "value_error", ": ".join(words)) for name, words in refused.items() if words]
    if faults:
        raise FaultsError(faults)
    return value


# --------------------------------------------------------------------------------------------- plug-ins


def _options(folder: str, table: object) -> Options:
    """The options of the plug-in that a table's `kind` names; its faults keep their own paths."""
    if isinstance(table, Options):
        return table
    if not isinstance(table, Mapping):
        raise ValueError(f"is not a table with a `kind`, which is one of {', '.join(plugins.kinds(folder))}")  # noqa: TRY004 (pydantic reports ValueError under the key's path)
    try:
        return plugins.options(folder, table)
    except ValidationError as error:
        raise FaultsError(flat(error)) from error
    except ValueError as error:
        raise FaultsError([Fault(("kind",), "value_error", str(error))]) from error


Clock = Annotated[time, BeforeValidator(_clock)]
CutOff = Annotated[Moment, BeforeValidator(_moment)]
CalendarDay = Annotated[date, BeforeValidator(_day)]
Duration = Annotated[timedelta, BeforeValidator(_duration)]
Zone = Annotated[ZoneInfo, BeforeValidator(_zone)]
OneLine = Annotated[str, AfterValidator(_one_line)]
Lines = Annotated[str, AfterValidator(_lines), AfterValidator(_not_blank)]
Title = Annotated[str, Field(max_length=150), AfterValidator(_one_line), AfterValidator(_not_blank)]
Greeting = Annotated[OneLine, AfterValidator(_greeting)]
Mailbox = Annotated[OneLine, AfterValidator(_mailbox)]
Address = Annotated[OneLine, AfterValidator(_address)]
DotAtom = Annotated[
    str,
    _shaped(
        r"(?=.{3,253}$)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+", "a name such as ai-papers.example.org"
    ),
]
Selector = Annotated[
    str, _shaped(r"(?=.{1,190}$)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})*", "a name such as s2048")
]
Language = Annotated[
    str, _shaped(r"(?=.{2,35}$)[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", "a language tag such as en, de or pt-BR")
]
SlackUser = Annotated[str, _shaped(r"[UW][A-Z0-9]{5,20}", "a Slack user ID such as U0123456789")]
Conversation = Annotated[str, _shaped(r"[CGD][A-Z0-9]{5,20}", "a conversation's ID such as C0123456789")]
PasswordHash = Annotated[str, AfterValidator(_password_hash)]
PluginName = Annotated[str, _shaped(r"[a-z][a-z0-9_-]{0,62}", "a name of small letters, digits, - and _")]
BaseUrl = Annotated[HttpUrl, AfterValidator(_base_url)]
Listen = Annotated[str, AfterValidator(_listen)]
CheckWords = Annotated[dict[str, str], BeforeValidator(_by_rule), AfterValidator(_sayable)]
ChannelOptions = Annotated[Options, BeforeValidator(partial(_options, "channels"))]
TransportOptions = Annotated[Options, BeforeValidator(partial(_options, "transports"))]
