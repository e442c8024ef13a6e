"""What an SMTP server's replies mean: one table from (phase, code, enhanced code, words) to our errors.

Sources: RFC 5321 §4.2 and §4.5.3.1.10, RFC 3463, RFC 7504, and what large mailbox providers answer.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from bot.errors import BroadsheetError, PermanentError, StopRunError, TransientError


class Phase(StrEnum):
    """Where in the conversation an answer came."""

    BANNER = "banner"
    EHLO = "EHLO"
    STARTTLS = "STARTTLS"
    AUTH = "AUTH"
    MAIL = "MAIL FROM"
    RCPT = "RCPT TO"
    DATA = "DATA"
    DOT = "end of data"


class PolicyError(PermanentError):
    """Refused for what we are or what the mail is, not for who the reader is; several alike stop the run."""


def _later(words: str) -> BroadsheetError:
    return TransientError(words)


def _server_away(words: str) -> BroadsheetError:
    return TransientError(words, charged=False)


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of the table; the first that fits decides. None fits anything."""

    phases: frozenset[Phase] | None
    codes: range | frozenset[int]
    enhanced: str | None
    words: str | None
    means: Callable[[str], BroadsheetError]


def _row(
    phases: Iterable[Phase] | None,
    codes: range | Iterable[int],
    means: Callable[[str], BroadsheetError],
    *,
    enhanced: str | None = None,
    words: str | None = None,
) -> _Row:
    where = frozenset(phases) if phases else None
    return _Row(where, codes if isinstance(codes, range) else frozenset(codes), enhanced, words, means)


_P = Phase
_OPENING = (_P.BANNER, _P.EHLO, _P.STARTTLS, _P.AUTH)
_4XX, _5XX = range(400, 500), range(500, 600)
_NO_SUCH_MAILBOX = (
    r"(user|mailbox|recipient|address|account|addressee|alias).{0,60}"
    r"(unknown|not found|not exist|n.t exist|no longer|unavailable|disabled|inactive|invalid|reject|full)"
    r"|(unknown|no such|invalid|bad) (user|mailbox|recipient|address|account)"
)

TABLE = (
    # The server as a whole: nobody's attempt is charged.
    _row(None, {421}, _server_away),
    _row(_OPENING, _4XX, _server_away),
    _row(_OPENING, _5XX, StopRunError),
    _row({_P.MAIL}, _4XX, _server_away),
    _row({_P.MAIL}, _5XX, StopRunError),
    # One reader: later.
    _row({_P.RCPT}, {552}, _later, enhanced=r"5\.5\.3|4\.5\.3"),
    _row({_P.RCPT}, {552}, _later, words=r"too many recipients"),
    _row({_P.RCPT}, _4XX, _later),
    # We may not send here at all.
    _row({_P.RCPT}, _5XX, StopRunError, words=r"relay|authenticat|not authori[sz]ed"),
    _row({_P.RCPT}, {500, 502, 503, 504, 530, 535}, StopRunError),
    # One reader: never.
    _row({_P.RCPT}, _5XX, PermanentError, enhanced=r"5\.[1246]\.\d+"),
    _row({_P.RCPT}, _5XX, PolicyError, enhanced=r"5\.7\.\d+"),
    _row({_P.RCPT}, {501, 551, 552, 553, 555, 556}, PermanentError),
    _row({_P.RCPT}, _5XX, PermanentError, words=_NO_SUCH_MAILBOX),
    _row({_P.RCPT}, _5XX, PolicyError),
    # The mail.
    _row({_P.DATA, _P.DOT}, _4XX, _later),
    _row({_P.DATA}, _5XX, StopRunError),
    _row({_P.DOT}, {552}, StopRunError, enhanced=r"5\.3\.4"),
    _row({_P.DOT}, _5XX, PermanentError, enhanced=r"5\.[12]\.\d+"),
    _row({_P.DOT}, _5XX, PolicyError),
)


def meaning(phase: Phase, code: int, text: str) -> BroadsheetError:
    """The error that an unwelcome reply means; StopRunError for one that makes no sense."""
    enhanced = enhanced_code(text)
    said = f"{phase}: {code} {cleaned(text)}"
    for row in TABLE:
        if _fits(row, phase, code, enhanced, text):
            return row.means(said)
    return StopRunError(f"{said}: that is no answer to {phase}")


def _fits(row: _Row, phase: Phase, code: int, enhanced: str, text: str) -> bool:
    return (
        (row.phases is None or phase in row.phases)
        and code in row.codes
        and (row.enhanced is None or re.fullmatch(row.enhanced, enhanced) is not None)
        and (row.words is None or re.search(row.words, text, re.IGNORECASE | re.DOTALL) is not None)
    )


def enhanced_code(text: str) -> str:
    """The enhanced status code of a reply's first line that has one (RFC 3463), or nothing."""
    found = re.search(r"^\s*([245]\.\d{1,3}\.\d{1,3})\b", text, re.MULTILINE)
    return found[1] if found else ""


def cleaned(text: str) -> str:
    """A server's words as they may be shown and kept: one bounded line, without addresses."""
    if "@" not in text and text.isprintable():
        return text[:300]
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return re.sub(r"<?[^\s<>@]+@[^\s<>@]+>?", "<…>", line)[:300]
