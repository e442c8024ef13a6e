"""How long an SMTP client waits, and for what: the table of RFC 5321 §4.5.3.2."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.transports._replies import Phase


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds to wait, each the whole of one answer, however slowly it comes."""

    answers: Mapping[Phase, float]
    """For the relay's answer in each phase."""
    connect: float
    """For a machine that does not say whether anybody listens there."""
    block: float
    """For room to write the next piece of a mail."""
    goodbye: float
    """For words on which nothing depends."""


PATIENCE = Patience(
    answers={
        Phase.BANNER: 300,
        Phase.EHLO: 300,
        Phase.STARTTLS: 300,
        Phase.AUTH: 300,
        Phase.MAIL: 300,
        Phase.RCPT: 300,
        Phase.DATA: 120,
        Phase.DOT: 600,  # a short wait here would make duplicates
    },
    connect=60,
    block=180,
    goodbye=5,
)


def hurried(seconds: float) -> Patience:
    """Waits of so many seconds for everything: for somebody who only asks how a relay is."""
    return Patience(dict.fromkeys(Phase, seconds), seconds, seconds, seconds)
