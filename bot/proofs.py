"""Proofs: issues set as they would go out, each once, and what the rules about mail find in them.

issue → fingerprint → compose → Rendered → judge → Proof
"""

from dataclasses import dataclass

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
class Proof:
    """An issue as it would go out."""

    hash: str
    result: Rendered | InputError
    """What it was set as, or why it could not be."""
    findings: tuple[Finding, ...] = ()

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What keeps it from going out."""
        return tuple(errors_of(self.findings))

    def rendered(self) -> Rendered:
        """What it was set as, whatever the rules say; InputError where it could not be set."""
        if isinstance(self.result, InputError):
            raise self.result
        return self.result

    def passed(self) -> Rendered:
        """What may go out; InputError where the rules found an error."""
        if self.errors:
            first = self.errors[0]
            raise InputError(first.place, first.message, first.fix, findings=self.errors)
        return self.rendered()


class Proofs:
    """The proofs of one newsletter; `mails` says whether it has readers by mail, for whom mail is judged."""

    def __init__(
        self, newsletter: Newsletter, templates: Templates, base_url: str, *, several: bool, mails: bool
    ) -> None:
        self._newsletter, self._templates, self._base_url = newsletter, templates, base_url
        self._several, self._mails = several, mails
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
            rendered = compose(
                issue, self._newsletter, self._templates, self._base_url, several=self._several
            )
        except InputError as error:
            return Proof(content_hash, error, (cannot_be_made(issue, error),))
        return Proof(content_hash, rendered, self._judged(issue, rendered) if self._mails else ())

    def _judged(self, issue: Issue, rendered: Rendered) -> tuple[Finding, ...]:
        web_url = issue_url(self._base_url, issue.newsletter, issue.week, several=self._several)
        sources = self._templates.sources([f"themes/{self._newsletter.theme}.html.j2"])
        size = longest(rendered.html, Slots(rendered.nonce), self._base_url)
        return tuple(judge(Mail(issue, self._newsletter, rendered, web_url, size, sources)))
