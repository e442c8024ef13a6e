"""What an SMTP server's replies mean: one table from (phase, code, enhanced code, words) to our errors.

The basic code decides whether a mail may be tried again, the enhanced one why it was refused, whatever class
it claims. Sources: RFC 5321 §4.2 and §4.5.3.1.10, RFC 3463, RFC 7504, and what large providers answer.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from bot.errors import BroadsheetError, PermanentError, StopRunError, TransientError
from bot.transports._reasons import reason


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


READ, SHOWN = 1000, 300
"""Characters of a server's words that are looked at, and that are kept."""


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
_OUT_OF_STEP = (500, 502, 503, 504)
_NO_SUCH_MAILBOX = (
    r"(user|mailbox|recipient|address|account|addressee|alias).{0,60}"
    r"(unknown|not found|not exist|n.t exist|no longer|unavailable|disabled|inactive|invalid|reject|full)"
    r"|(unknown|no such|invalid|bad) (user|mailbox|recipient|address|account)"
)
_NOT_WITH_US = (
    r"relay(ing)? (access )?(is )?(denied|prohibited|not (permitted|allowed))"
    r"|(unable|not (permitted|allowed)) to relay|(do not|don.t|cannot|won.t) relay"
    r"|authentication (is )?required|not authenticated|authenticate first|not authori[sz]ed"
    r"|sender (address )?rejected|helo command rejected|sender verif"
)
"""Relays that wait for RCPT to say what they have against the sender (Postfix: smtpd_delay_reject)."""
_TOO_LARGE = r"too (big|large|long)|(message|mail|maximum|fixed|exceed).{0,30}size|size.{0,30}exceed"

TABLE = (
    # The server as a whole: nobody's attempt is charged.
    _row(None, {421}, _server_away),
    _row(_OPENING, _4XX, _server_away),
    _row(_OPENING, _5XX, StopRunError),
    _row({_P.MAIL}, _4XX, _server_away),
    # An address in UTF-8, beyond a server that does not take it: this reader alone.
    _row({_P.MAIL, _P.RCPT, _P.DOT}, _5XX, PermanentError, enhanced=r"5\.6\.7"),
    _row({_P.MAIL}, _5XX, StopRunError),
    # One reader: later.
    _row({_P.RCPT}, {552}, _later, enhanced=r"5\.5\.3"),
    _row({_P.RCPT}, {552}, _later, words=r"too many recipients"),
    _row({_P.RCPT}, _4XX, _later),
    # The mail is larger than the relay takes.
    _row({_P.RCPT, _P.DATA, _P.DOT}, {552}, StopRunError, enhanced=r"5\.3\.4"),
    _row({_P.DATA, _P.DOT}, {552}, StopRunError, words=_TOO_LARGE),
    # One reader: never. 5.1.7 and 5.1.8 speak of the sender; 5.7.1xx are closed groups at Exchange Online.
    _row({_P.RCPT}, _5XX, PermanentError, enhanced=r"5\.(1\.([1-69]|10)|[246]\.\d+|7\.1\d\d)"),
    # We may not send here at all.
    _row({_P.RCPT, _P.DOT}, _5XX, StopRunError, enhanced=r"5\.1\.[78]"),
    _row({_P.RCPT}, _5XX, StopRunError, words=_NOT_WITH_US),
    _row({_P.RCPT}, {*_OUT_OF_STEP, 530, 535}, StopRunError),
    # One reader: never, or refused for what we are. Postfix says 5.1.0 of senders, too, in the words above.
    _row({_P.RCPT}, _5XX, PermanentError, enhanced=r"5\.1\.0"),
    _row({_P.RCPT}, _5XX, PolicyError, enhanced=r"5\.7\.\d+"),
    _row({_P.RCPT}, {501, 551, 552, 553, 555, 556}, PermanentError),
    _row({_P.RCPT}, _5XX, PermanentError, words=_NO_SUCH_MAILBOX),
    _row({_P.RCPT}, _5XX, PolicyError),
    # The mail. "No valid recipients" after a yes to the reader is a filter's way to refuse.
    _row({_P.DATA, _P.DOT}, _4XX, _later),
    _row({_P.DATA}, {503, 554}, PolicyError, words=r"no valid recipients"),
    _row({_P.DATA}, _OUT_OF_STEP, StopRunError),
    _row({_P.DATA}, _5XX, PolicyError),
    _row({_P.DOT}, _5XX, PermanentError, enhanced=r"5\.[12]\.\d+"),
    _row({_P.DOT}, _5XX, PolicyError),
)


def meaning(phase: Phase, code: int, text: str, *, relay: object = "") -> BroadsheetError:
    """The error that an unwelcome reply of a relay means; StopRunError for one that makes no sense."""
    enhanced = _in_class(enhanced_code(text), code)
    why = reason(enhanced, text)
    by = f"{relay}: " if relay else ""
    said = f"{by}{phase}: {code} {cleaned(text)}" + (f" ({why})" if why else "")
    for row in TABLE:
        if _fits(row, phase, code, enhanced, text):
            return row.means(said)
    return StopRunError(f"{said}: that is no answer to {phase}")


def _in_class(enhanced: str, code: int) -> str:
    """An enhanced code in the class of its basic code: `550 4.2.1` is as final as `550 5.2.1`."""
    return f"{code // 100}{enhanced[1:]}" if enhanced else ""


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
        return text[:SHOWN]
    if len(text) > READ:
        text = text[:READ].rpartition(" ")[0]  # no address cut in two
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return re.sub(r"<?[^\s<>@]{1,320}@[^\s<>]*>?", "<…>", line)[:SHOWN]
