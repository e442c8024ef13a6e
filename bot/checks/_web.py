"""What the web says of links, as the rules about that look at it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit, urlunsplit

from bot.checks._material import Material
from bot.models import Issue
from bot.settings import Newsletter


class Fault(StrEnum):
    """Why there is no answer."""

    NO_HOST = "there is no such host"
    NO_NAME_SERVER = "the name server does not answer"
    REFUSED = "nobody listens there"
    TIMEOUT = "it takes too long"
    CERTIFICATE = "its certificate is not valid"
    PRIVATE = "it leads into a private network"
    PORT = "its port is not one of the web's"
    SCHEME = "it leads away from the web"
    CIRCLE = "it is redirected in circles"
    BROKEN = "the answer is not HTTP"


@dataclass(frozen=True, slots=True)
class Step:
    """One redirect: its status, and where it led."""

    status: int
    url: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of asking for one address."""

    status: int | None = None
    """Of the last answer; None where there was none."""
    steps: tuple[Step, ...] = ()
    """The redirects on the way to it."""
    fault: Fault | None = None
    digest: str | None = None
    """Of the beginning of the page, where that was asked for."""

    @property
    def there(self) -> bool:
        """Whether the page is certainly there."""
        return self.status is not None and 200 <= self.status < 300  # noqa: PLR2004 (RFC 9110, 15.3)


@dataclass(frozen=True)
class Web:
    """The content, and what the web answered for the addresses in it."""

    material: Material
    answers: Mapping[str, Answer]
    """By address without its fragment; what was not asked is not in it."""

    @property
    def issues(self) -> Sequence[Issue]:
        return self.material.issues

    @property
    def newsletters(self) -> Sequence[Newsletter]:
        return self.material.newsletters

    @property
    def reachable(self) -> bool:
        """Whether anybody answered at all: else the fault is at this end."""
        return any(answer.status for answer in self.answers.values())

    def answer(self, url: str) -> Answer | None:
        """What was answered for an address, whatever its fragment."""
        return self.answers.get(asked(url))


def asked(url: str) -> str:
    """What is asked of a server: the address without its fragment."""
    return url.partition("#")[0]


def secure(url: str) -> str | None:
    """The https twin of an http address on the usual port."""
    try:
        parts = urlsplit(url)
        usual = parts.scheme == "http" and parts.port in (None, 80)
    except ValueError:  # no such address can exist
        return None
    host = parts.netloc.removesuffix(":80")
    return urlunsplit(parts._replace(scheme="https", netloc=host)) if usual and host else None


def to_ask(material: Material) -> dict[str, bool]:
    """The addresses to ask for, once each, and whether the page is wanted, to compare it with another."""
    wanted = dict[str, bool]()
    for seen in material.links:
        if seen.url.lower().startswith(("http://", "https://")):
            url = asked(seen.url)
            twin = secure(url)
            wanted[url] = wanted.get(url, False) or twin is not None
            if twin:
                wanted[twin] = True
    return wanted
