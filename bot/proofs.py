"""Proofs: issues set as they would go out, each once, and what the checks find in them.

issue → fingerprint → compose → Rendered → freeze → what each channel would send
                                         → look   → findings
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from bot.channels import Audience, Channel
from bot.checks import Mail, Material, Subject, look
from bot.checks._posts import Posts
from bot.checks._readership import fields_of
from bot.checks.mail import cannot_be_made
from bot.compose import compose, fingerprint
from bot.errors import HeldError, InputError
from bot.folding import longest
from bot.links import issue_url
from bot.models import Finding, Issue, Rendered, errors_of
from bot.pages import freeze_page
from bot.settings import Newsletter, Settings
from bot.slots import Slots
from bot.store.issues import PAGE
from bot.templates import Templates

KEPT = 4
"""Proofs of a newsletter that are remembered: a bot looks at the issue that is due every minute."""


@dataclass(frozen=True, slots=True)
class Print:
    """What was made of an issue."""

    rendered: Rendered
    payloads: Mapping[str, bytes]
    """What each channel would send of it, by the channel's name; its web page by `issues.PAGE`."""
    fields: Mapping[str, str]
    """What its templates ask of a reader, by name: where the first one asks."""


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
        """What may go out; HeldError where the checks found an error."""
        if self.errors:
            raise HeldError(self.findings)
        return self.looked_at()


class Proofs:
    """The proofs of one newsletter; the rules about mail are asked where it has readers by mail."""

    def __init__(
        self,
        newsletter: Newsletter,
        templates: Templates,
        channels: Mapping[str, Channel],
        settings: Settings,
    ) -> None:
        self._newsletter, self._templates, self._channels = newsletter, templates, channels
        self._settings = settings
        self._mails = any(channel.audience is Audience.READERS for channel in channels.values())
        self._known: dict[tuple[str, str], Proof] = {}

    def hash_of(self, issue: Issue) -> str:
        """The content hash, to which approvals are bound."""
        url, several = self._settings.url, self._settings.several
        return fingerprint(issue, self._newsletter, self._templates, url, several=several)

    def of(self, issue: Issue, material: Material | None = None) -> Proof:
        """The proof of an issue: made once for one content, as long as it is among the last few.

        With its `material`, the rules about content are asked as well, and it is made anew when anything
        changes that they look at.
        """
        content_hash = self.hash_of(issue)
        key = content_hash, _digest(issue, material)
        if key not in self._known:
            self._known[key] = self._made(issue, content_hash, material)
            for oldest in list(self._known)[:-KEPT]:
                del self._known[oldest]
        return self._known[key]

    def _made(self, issue: Issue, content_hash: str, material: Material | None) -> Proof:
        beside = [] if material is None else [material]
        try:
            made = self._printed(issue, content_hash)
        except InputError as error:
            findings = (cannot_be_made(issue, error), *look(*beside))
            return Proof(content_hash, error, findings)
        return Proof(content_hash, made, tuple(look(*beside, *self._subjects(issue, made))))

    def _printed(self, issue: Issue, content_hash: str) -> Print:
        url, several = self._settings.url, self._settings.several
        rendered = compose(
            issue, self._newsletter, self._templates, url, several=several, content_hash=content_hash
        )
        payloads = {name: channel.freeze(issue, rendered) for name, channel in self._channels.items()}
        fields = fields_of(self._templates.sources([self._theme, "email/text.txt.j2"]))
        return Print(rendered, {**payloads, PAGE: freeze_page(rendered)}, fields)

    @property
    def _theme(self) -> str:
        return f"themes/{self._newsletter.theme}.html.j2"

    def _subjects(self, issue: Issue, made: Print) -> list[Subject]:
        """What the rules look at of what was made."""
        newsletter, rendered, url = self._newsletter, made.rendered, self._settings.url
        posts = Posts.read(issue, newsletter, made.payloads)
        if not self._mails:
            return [posts]
        web_url = issue_url(url, issue.newsletter, issue.week, several=self._settings.several)
        size = longest(rendered.html, Slots(rendered.nonce), url)
        sources = self._templates.sources([self._theme])
        return [Mail(issue, newsletter, rendered, web_url, size, sources), posts]


def _digest(issue: Issue, material: Material | None) -> str:
    """Of all besides the content that findings depend on: what was said of the rules, texts, the day."""
    whole = sha256(repr(sorted(issue.checks.items())).encode())
    if material is not None:
        day = material.now.date() if material.now else None
        whole.update(f"{day}\0{len(material.earlier)}\0".encode())
        for place, text in sorted(material.texts.items()):
            whole.update(f"{place}\0{text}\0".encode("utf-8", "replace"))
    return whole.hexdigest()
