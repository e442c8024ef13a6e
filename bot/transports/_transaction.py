"""One mail over an open connection: MAIL, RCPT and DATA, the mail and its dot, each phase driven by itself.

A drop before the final dot means not sent, a drop after it means in doubt; no client library tells the two
apart.
"""

import re
import smtplib
from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from math import inf
from typing import NoReturn

from bot.errors import BroadsheetError, InDoubtError, PermanentError, StopRunError, TransientError
from bot.steps import Steps
from bot.transports._replies import Phase, cleaned, meaning
from bot.transports._wire import Reply, Wire, why

OK, GO_AHEAD = 250, 354
CLOSING = 421
"""The relay ends the connection (RFC 5321 §4.2.1)."""
SENDER = re.compile(r"[!-;=?-~]+@[!-;=?-~]+")
"""Printable ASCII but `<` and `>`: nothing that could end a command or begin another."""
RECIPIENT = re.compile(r"[!-;=?-~\u00a1-\U0010ffff]+@[!-;=?-~]+")
"""The same, but for letters of the world before the @; a domain is written in ASCII (RFC 5890)."""


class StaleError(Exception):
    """A connection that was used before has died before anything of this mail was said on it."""


class ElsewhereError(TransientError):
    """The relay is away, and said so before a byte of the mail had left: another may have it at once."""


class Line:
    """An open connection to one relay, and the mails on it."""

    def __init__(self, wire: Wire, relay: str) -> None:
        """`relay` is what it is called in errors."""
        self._wire, self.relay = wire, relay
        self._offered = wire.esmtp_features
        self._limit = size_limit(self._offered)
        self.begun = 0
        """Mails that this connection was used for, whatever became of them."""
        self.dead = False
        self.broke = False
        """Whether it ended without a word, or in the middle of one."""

    def send(self, sender: str, recipient: str, pieces: Sequence[bytes]) -> Steps[str]:
        """Hand over one mail; the relay's words. An error says how far it came."""
        if self._limit < (size := sum(map(len, pieces))):
            raise StopRunError(f"{self.relay} takes {self._limit} bytes, and this mail has {size}")
        said = parameters(recipient, pieces, self._offered, self.relay)
        self.begun += 1
        yield from self._envelope(
            f"MAIL FROM:<{sender}>{said}\r\n".encode(), f"RCPT TO:<{recipient}>\r\n".encode()
        )
        yield from self._body(stuffed(pieces))
        code, text = reply = yield from self._verdict()
        if not _is_yes(code, OK):
            raise self._refused(Phase.DOT, reply)
        return f"{code} {cleaned(text)}"

    def close(self) -> Steps[None]:
        """Say goodbye."""
        if not self.dead:
            self.dead = True
            yield from self._wire.farewell()

    def drop(self) -> None:
        """End the connection without a word."""
        self._wire.close()
        self.dead = True

    # ------------------------------------------------------------------------------------------ the envelope

    def _envelope(self, mail: bytes, recipient: bytes) -> Steps[None]:
        """Say MAIL, RCPT and DATA: in one go where the relay takes that (RFC 2920), else one by one."""
        commands = (
            (Phase.MAIL, mail, OK),
            (Phase.RCPT, recipient, OK),
            (Phase.DATA, b"DATA\r\n", GO_AHEAD),
        )
        pipelined, phase = "pipelining" in self._offered, Phase.MAIL
        try:
            if pipelined:
                yield from self._wire.say(b"".join(command for _, command, _ in commands))
            for number, (phase, command, wanted) in enumerate(commands):  # noqa: B007 (an error names it)
                if not pipelined:
                    yield from self._wire.say(command)
                reply = yield from self._wire.reply(phase)
                if not _is_yes(reply[0], wanted):
                    break
            else:
                return
        except (smtplib.SMTPException, OSError) as error:
            raise self._broken(phase, error) from error
        yield from self._unwanted(phase, reply, unread=commands[number + 1 :] if pipelined else ())

    def _unwanted(
        self, phase: Phase, reply: Reply, unread: tuple[tuple[Phase, bytes, int], ...]
    ) -> Steps[NoReturn]:
        """End a transaction that the relay refused, so that it delivers nothing and the next can begin."""
        if phase is Phase.MAIL and reply[0] == CLOSING and self.begun > 1:
            self.drop()
            raise StaleError  # it was tired of waiting for the next mail, or has had enough of them
        error = self._refused(phase, reply)
        if not self.dead:
            yield from self._reset([later for later, _, _ in unread])
        if isinstance(error, TransientError) and not error.charged:
            raise ElsewhereError(str(error), charged=False)
        raise error

    def _reset(self, unread: list[Phase]) -> Steps[None]:
        """Clear what the refused mail left, once the other answers to its commands are read."""
        try:
            codes = set()
            for phase in unread:
                codes.add((yield from self._wire.reply(phase))[0])
            if CLOSING in codes or GO_AHEAD in codes:
                self.drop()  # 354: it waits for a mail that must not come; a lone dot could deliver one
                return
            yield from self._wire.say(b"RSET\r\n")
            if (yield from self._wire.reply(Phase.RCPT))[0] != OK:
                self.drop()
        except (smtplib.SMTPException, OSError):
            self.drop()

    # ---------------------------------------------------------------------------------------------- the mail

    def _body(self, stuffed: bytes) -> Steps[None]:
        """Send the mail and its dot in one go.

        Where that fails the last bytes have not been handed over, so the dot has not left: not sent.
        """
        try:
            yield from self._wire.say(stuffed)
        except OSError as error:
            raise (yield from self._last_words()) or self._broken(Phase.DATA, error) from error

    def _last_words(self) -> Steps[BroadsheetError | None]:
        """What a relay said that hung up on us in the middle of a mail: why, perhaps."""
        try:
            self._wire.hurry()
            code, words = yield from self._wire.reply(Phase.DOT)
        except (smtplib.SMTPException, OSError):
            return None
        self.drop()
        return meaning(Phase.DOT, code, words, relay=self.relay) if code // 100 in {4, 5} else None

    def _verdict(self) -> Steps[Reply]:
        """The answer to the dot; in doubt where there is none."""
        try:
            reply = yield from self._wire.reply(Phase.DOT)
        except (smtplib.SMTPException, OSError) as error:
            self.broke = True
            self.drop()
            raise InDoubtError(f"{self.relay} did not say whether it took the mail: {why(error)}") from error
        if reply[0] // 100 not in {2, 4, 5}:
            self.drop()
            raise InDoubtError(f"{self.relay}: the answer to the mail makes no sense")
        return reply

    # ------------------------------------------------------------------------------------ what went wrong

    def _broken(self, phase: Phase, error: Exception) -> Exception:
        """The connection broke before the dot: nothing was sent."""
        self.drop()
        if phase is Phase.MAIL and self.begun > 1:
            return StaleError()
        self.broke = True
        return TransientError(f"{self.relay}: the connection broke at {phase}: {why(error)}")

    def _refused(self, phase: Phase, reply: Reply) -> BroadsheetError:
        code, text = reply
        if code == CLOSING or code // 100 not in {4, 5}:
            self.drop()  # it hangs up, or we are out of step
        return meaning(phase, code, text, relay=self.relay)


# ------------------------------------------------------------------------------------ what the relay offers


def check_envelope(sender: str, recipient: str) -> None:
    """Refuse an address that could say more than an address."""
    if not (SENDER.fullmatch(sender) and RECIPIENT.fullmatch(recipient) and recipient.isprintable()):
        raise PermanentError("the address cannot stand in an envelope")


def size_limit(offered: Mapping[str, str]) -> float:
    """The largest mail that a relay says it takes, in octets; 0 there is no limit, as none is (RFC 1870)."""
    limit = offered.get("size", "")
    return int(limit) if limit.isdecimal() and int(limit) else inf


def parameters(recipient: str, pieces: Sequence[bytes], offered: Container[str], relay: str) -> str:
    """What MAIL says beside the sender: what this mail needs, and no more (RFC 1870, 6152, 6531).

    PermanentError where the relay does not offer what it needs: there is no other way to write such a mail.
    """
    size = f" SIZE={sum(map(len, pieces))}" if "size" in offered else ""
    plain = all(map(bytes.isascii, pieces))
    if plain and recipient.isascii():
        return size
    wide = not (recipient.isascii() and b"".join(pieces).partition(b"\r\n\r\n")[0].isascii())
    if wide:
        _need("smtputf8", "the address or a header of this mail", offered, relay)
    if not plain:
        _need("8bitmime", "a mail of more than ASCII", offered, relay)
    body = " BODY=8BITMIME" if "8bitmime" in offered else ""
    return f"{size}{body}{' SMTPUTF8' if wide else ''}"


def _need(keyword: str, what: str, offered: Container[str], relay: str) -> None:
    if keyword not in offered:
        raise PermanentError(f"{what} needs {keyword.upper()}, which {relay} does not offer")


def _is_yes(code: int, wanted: int) -> bool:
    """Whether a reply is the one wanted; any 2xx where a yes is (RFC 5321 §4.2.1: 251 will forward)."""
    return code == wanted or (wanted == OK and 200 <= code < 300)  # noqa: PLR2004 (a class of replies)


def stuffed(pieces: Sequence[bytes]) -> bytes:
    """A mail as it goes over the wire: leading dots doubled (RFC 5321 §4.5.2), and the dot that ends it."""
    if pieces[-1].endswith(b"\r\n") and not any(map(_may_begin_with_a_dot, pieces)):
        return b"".join([*pieces, b".\r\n"])  # copied once: memory is most of what a mail costs here
    message = b"".join(pieces).replace(b"\r\n.", b"\r\n..")
    if message.startswith(b"."):
        message = b"." + message
    return message + (b".\r\n" if message.endswith(b"\r\n") else b"\r\n.\r\n")


@lru_cache(maxsize=64)
def _may_begin_with_a_dot(piece: bytes) -> bool:
    """Whether a line of a piece may; bytes keep their hash, so what all readers share is searched once."""
    return piece.startswith(b".") or b"\n." in piece
