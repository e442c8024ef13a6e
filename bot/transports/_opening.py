"""Opens a connection to a relay: greeted, secured, logged in. What goes wrong here is no reader's fault."""

import smtplib
import ssl
from base64 import b64encode
from dataclasses import dataclass
from typing import Literal

from pydantic import SecretStr

from bot.errors import BroadsheetError, StopRunError, TransientError
from bot.transports._patience import Patience
from bot.transports._replies import Phase, meaning
from bot.transports._wire import Wire, why

OK, READY, LOGGED_IN, GO_ON = 250, 220, 235, 334


@dataclass(frozen=True, slots=True)
class Relay:
    """Which relay to open a connection to, and how."""

    host: str
    port: int
    security: Literal["none", "starttls", "tls"]
    login: tuple[str, SecretStr] | None
    key: str = "transport"
    """Where it stands in the configuration."""

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def opened(relay: Relay, name: str, context: ssl.SSLContext | None, patience: Patience) -> Wire:
    """A connection on which mails can be sent, on which we call ourselves by `name`.

    TransientError where the relay is away, StopRunError where it does not take mail from us.
    """
    wire = Wire(name, context if relay.security == "tls" else None, patience)
    opening = _Opening(relay, wire)
    try:
        opening.run(context)
    except (OSError, smtplib.SMTPException) as error:
        wire.close()
        raise opening.broken(error) from error
    except UnicodeError as error:
        wire.close()
        raise StopRunError(f"{relay.key}.host: {relay.host!r} is not the name of a host") from error
    except BroadsheetError:
        wire.close()
        raise
    return wire


class _Opening:
    """The opening of one connection, as far as it came."""

    def __init__(self, relay: Relay, wire: Wire) -> None:
        self._relay, self._wire = relay, wire
        self._phase = Phase.BANNER

    def run(self, context: ssl.SSLContext | None) -> None:
        relay = self._relay
        self._enter(Phase.BANNER)
        self._wanted(self._wire.connect(relay.host, relay.port), READY)
        self._hello()
        if relay.security == "starttls" and context:
            self._start_tls(context)
        if relay.login:
            self._log_in(*relay.login)

    def _enter(self, phase: Phase) -> None:
        self._phase = phase
        self._wire.expect(phase)

    def _wanted(self, reply: tuple[int, bytes], code: int) -> None:
        if reply[0] != code:
            raise meaning(self._phase, reply[0], reply[1].decode("utf-8", "replace"), relay=self._relay)

    def _hello(self) -> None:
        """Say EHLO, or HELO to a relay that does not know it."""
        self._enter(Phase.EHLO)
        reply = self._wire.ehlo()
        if 500 <= reply[0] < 600:  # noqa: PLR2004 (a class of replies)
            reply = self._wire.helo()
        self._wanted(reply, OK)

    def _start_tls(self, context: ssl.SSLContext) -> None:
        """Turn to TLS; never go on in clear where it was asked for."""
        self._enter(Phase.STARTTLS)
        if not self._wire.has_extn("starttls"):
            mend = 'set security = "tls" with port 465, or "none" for a relay on this machine'
            raise StopRunError(f"{self._relay} offers no STARTTLS: {mend}")
        self._wanted(self._wire.docmd("STARTTLS"), READY)
        self._wire.secure(context)
        self._hello()

    def _log_in(self, user: str, password: SecretStr) -> None:
        """AUTH PLAIN or LOGIN, in UTF-8 (RFC 4616); smtplib's own takes ASCII alone."""
        self._enter(Phase.AUTH)
        offered = self._wire.esmtp_features.get("auth", "").upper().split()
        secret = password.get_secret_value()
        if "PLAIN" in offered or not offered:
            both = _base64(f"\0{user}\0{secret}")
            reply = self._wire.docmd("AUTH", f"PLAIN {both}")
        elif "LOGIN" in offered:
            self._wanted(self._wire.docmd("AUTH", "LOGIN"), GO_ON)
            self._wanted(self._wire.docmd(_base64(user)), GO_ON)
            reply = self._wire.docmd(_base64(secret))
        else:
            ways = ", ".join(offered)
            raise StopRunError(f"{self._relay} offers only {ways} to log in: PLAIN or LOGIN is needed")
        self._wanted(reply, LOGGED_IN)

    def broken(self, error: Exception) -> BroadsheetError:
        """What it means that the connection failed or broke."""
        if isinstance(error, ssl.SSLCertVerificationError):
            mend = "name its certificate with ca_file, or mend the host name"
            return StopRunError(
                f"{self._relay}: its certificate is not trusted ({error.verify_message}): {mend}"
            )
        mend = f"is the relay running, and {self._relay.key}.host and port right?"
        return TransientError(f"{self._relay}: {why(error)} at {self._phase}: {mend}", charged=False)


def _base64(text: str) -> str:
    return b64encode(text.encode()).decode()
