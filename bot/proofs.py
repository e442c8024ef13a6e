"""Proofs: issues set as they would go out, each once, and what the rules about mail find in them.

issue → fingerprint → compose → Rendered → freeze → what each channel would send
                                         → judge  → findings
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.channels import Audience, Channel
from bot.checks import Mail, judge
from bot.checks.mail import cannot_be_made
from bot.compose import compose, fingerprint
from bot.errors import InputError
from bot.folding import longest
from bot.links import issue_url
from bot.models import Finding, Issue, Rendered, errors_of
from bot.settings import Newsletter
from bot.slots import Slots
from bot.templates import Templates

KEPT = 4
"""Proofs of a newsletter that are remembered: a bot looks at the issue that is due every minute."""


@dataclass(frozen=True, slots=True)
class Print:
    """What was made of an issue."""

    rendered: Rendered
    payloads: Mapping[str, bytes]
    """What each channel would send of it, by the channel's name."""


@dataclass(frozen=True, slots=True)
class Proof:
    """An issue as it would go out, and what is wrong with it."""

    hash: str
    """Of the content: approvals are bound to it."""
    result: Print | InputError
    """What was made of it, or why nothing could be."""
    findings: tuple[Finding, ...] = ()

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What keeps it from going out."""
        return tuple(errors_of(self.findings))

    def looked_at(self) -> Print:
        """What was made of it, whatever the rules say; InputError where nothing could be."""
        if isinstance(self.result, InputError):
            raise self.result
        return self.result

    def passed(self) -> Print:
        """What may go out; InputError where the rules found an error."""
        if self.errors:
            first = self.errors[0]
            raise InputError(first.place, first.message, first.fix, findings=self.errors)
        return self.looked_at()


class Proofs:
    """The proofs of one newsletter; the rules about mail are asked where it has readers by mail."""

    def __init__(
        self,
        newsletter: Newsletter,
        templates: Templates,
        channels: Mapping[str, Channel],
        base_url: str,
        *,
        several: bool,
    ) -> None:
        self._newsletter, self._templates, self._channels = newsletter, templates, channels
        self._base_url, self._several = base_url, several
        self._mails = any(channel.audience is Audience.READERS for channel in channels.values())
        self._known: dict[str, Proof] = {}

    def hash_of(self, issue: Issue) -> str:
        """The content hash, to which approvals are bound."""
        return fingerprint(issue, self._newsletter, self._templates, self._base_url, several=self._several)

    def of(self, issue: Issue) -> Proof:
        """The proof of an issue; made once for one content, as long as it is among the last few."""
        content_hash = self.hash_of(issue)
        if content_hash not in self._known:
            self._known[content_hash] = self._made(issue, content_hash)
            for oldest in list(self._known)[:-KEPT]:
                del self._known[oldest]
        return self._known[content_hash]

    def _made(self, issue: Issue, content_hash: str) -> Proof:
        try:
            made = self._printed(issue)
        except InputError as error:
            return Proof(content_hash, error, (cannot_be_made(issue, error),))
        return Proof(content_hash, made, self._judged(issue, made.rendered) if self._mails else ())

    def _printed(self, issue: Issue) -> Print:
        rendered = compose(issue, self._newsletter, self._templates, self._base_url, several=self._several)
        payloads = {name: channel.freeze(issue, rendered) for name, channel in self._channels.items()}
        return Print(rendered, payloads)

    def _judged(self, issue: Issue, rendered: Rendered) -> tuple[Finding, ...]:
        web_url = issue_url(self._base_url, issue.newsletter, issue.week, several=self._several)
        sources = self._templates.sources([f"themes/{self._newsletter.theme}.html.j2"])
        size = longest(rendered.html, Slots(rendered.nonce), self._base_url)
        return tuple(judge(Mail(issue, self._newsletter, rendered, web_url, size, sources)))
