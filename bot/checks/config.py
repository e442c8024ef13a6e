"""Rules about a configuration that can be read, but may not do what is meant."""

import ipaddress
from collections.abc import Iterator
from datetime import timedelta
from itertools import groupby

from bot.calendar import send_at, window_of
from bot.checks import Flaw, Material, Rule
from bot.models import Severity, Week
from bot.settings import Newsletter

_BOT = "config/bot.toml"
_SAMPLE_DOMAINS = ("example", "invalid", "test", "example.com", "example.net", "example.org")
_LONG_AGO = timedelta(days=3)
_ANY_WEEK = Week(2025, 20)  # without a change of the clock anywhere that would matter


def _file(newsletter: Newsletter) -> str:
    return f"config/newsletters/{newsletter.name}.toml"


def _sends_mail(material: Material) -> bool:
    """Whether mails leave this machine's disk."""
    return material.settings.transport.kind != "maildir"


def no_newsletter(material: Material) -> Iterator[Flaw]:
    """There is no newsletter, so nothing can go out.

    `broadsheet run` would wait for ever, and nobody would be told.
    """
    if not material.settings.newsletters:
        yield Flaw("config/newsletters", "no newsletter is configured", "add a file such as ai-papers.toml")


def shared_list_id(material: Material) -> Iterator[Flaw]:
    """Two newsletters have one list_id, so that mail programs file them together.

    Who filters, mutes or leaves one of them by the list's name does so with both (RFC 2919).
    """
    by_id = sorted(material.settings.newsletters.values(), key=lambda one: (one.list_id.lower(), one.name))
    for _, group in groupby(by_id, key=lambda one: one.list_id.lower()):
        first, *others = group
        for other in others:
            yield Flaw(
                _file(other), f"list_id: is also the list_id of {first.name}", "give each newsletter its own"
            )


def insecure_base_url(material: Material) -> Iterator[Flaw]:
    """Mails leave with links that are not https, which one-click unsubscribing needs (RFC 8058).

    Gmail and Yahoo show their own button to leave only where the link is https, and count it against a sender
    that it is missing.
    """
    if _sends_mail(material) and material.settings.base_url.scheme != "https":
        yield Flaw(_BOT, f"base_url: {material.settings.url} is not https", "readers' links begin with it")


def sample_address(material: Material) -> Iterator[Flaw]:
    """Mails leave from an address that is reserved for examples.

    Replies go nowhere, and receivers that look the domain up refuse the mail.
    """
    if not _sends_mail(material):
        return
    for newsletter in material.settings.newsletters.values():
        domain = newsletter.sender.rpartition("@")[2].rstrip(">").lower()
        if _is_sample(domain):
            yield Flaw(_file(newsletter), f"sender: {domain} is a domain for examples", "write your own")


def _is_sample(domain: str) -> bool:
    return any(domain == sample or domain.endswith(f".{sample}") for sample in _SAMPLE_DOMAINS)


def open_relay_connection(material: Material) -> Iterator[Flaw]:
    """Mails cross a network unencrypted on their way to the relay.

    Who carries the connection can read every reader's address, and the password that is sent with it.
    """
    transport = material.settings.transport
    relays = {"transport": transport}
    relays |= {f"transport.fallback.{n}": one for n, one in enumerate(getattr(transport, "fallback", ()))}
    for key, relay in relays.items():
        host = getattr(relay, "host", None)
        if host and getattr(relay, "security", None) == "none" and not _is_this_machine(host):
            what = f"{key}.security: none, but {host} is another machine"
            yield Flaw(_BOT, what, "set it to starttls or tls")


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def no_slack_token(material: Material) -> Iterator[Flaw]:
    """A channel posts to Slack, and no token is at hand.

    Nothing can be posted; it would come out at the minute of sending.
    """
    if material.settings.slack_token or material.settings.slack_token_file:
        return
    for newsletter in material.settings.newsletters.values():
        for name, options in newsletter.channels.items():
            if options.kind == "slack" and not getattr(options, "folder", None):
                yield Flaw(
                    _file(newsletter),
                    f"channels.{name}: posts to Slack, but there is no token",
                    "set BROADSHEET_SLACK_TOKEN, or slack_token_file in config/bot.toml",
                )


def early_cut_off(material: Material) -> Iterator[Flaw]:
    """A window closes days before its issue goes out: a cut-off after the send is that of the week before.

    What is collected in between waits a week; most often the cut-off was meant for the day of the send.
    """
    for newsletter in material.settings.newsletters.values():
        gap = send_at(newsletter.schedule, _ANY_WEEK) - window_of(newsletter.schedule, _ANY_WEEK).end
        if gap > _LONG_AGO:
            yield Flaw(
                _file(newsletter),
                f"schedule.cut_off: closes the window {gap.days} days before the send",
                "entries of those days wait for the next issue",
            )


_NEWSLETTER = "config/newsletters/ai-papers.toml"

LOOKS_AT = Material
RULES = (
    Rule(
        "config.newsletters",
        Severity.ERROR,
        no_newsletter,
        mend="Write a newsletter's file, such as config/newsletters/ai-papers.toml.",
        example={"config/newsletters/": "# no file"},
    ),
    Rule(
        "config.list-id",
        Severity.WARNING,
        shared_list_id,
        mend="Give each newsletter a list_id of its own.",
        example={
            _NEWSLETTER: 'list_id = "letters.example.net"',
            "config/newsletters/more-papers.toml": 'list_id = "letters.example.net"',
        },
    ),
    Rule(
        "config.base-url",
        Severity.WARNING,
        insecure_base_url,
        mend="Set base_url to the https address at which readers reach the bot's pages.",
        example={_BOT: 'base_url = "http://letters.example.net"\n\n[transport]\nkind = "smtp"'},
    ),
    Rule(
        "config.sample-address",
        Severity.WARNING,
        sample_address,
        mend="Write an address of your own domain.",
        example={_NEWSLETTER: 'sender = "AI Papers <papers@example.org>"'},
    ),
    Rule(
        "config.security",
        Severity.WARNING,
        open_relay_connection,
        mend='Set security to "starttls" or "tls".',
        example={_BOT: '[transport]\nkind = "smtp"\nhost = "mail.example.net"\nsecurity = "none"'},
    ),
    Rule(
        "config.slack-token",
        Severity.WARNING,
        no_slack_token,
        mend="Set BROADSHEET_SLACK_TOKEN, or name a file with slack_token_file in config/bot.toml.",
        example={_NEWSLETTER: '[channels.team]\nkind = "slack"\nconversation = "C0123456789"'},
    ),
    Rule(
        "config.cut-off",
        Severity.HINT,
        early_cut_off,
        mend="Put the cut-off shortly before the send, or leave it out.",
        example={_NEWSLETTER: '[schedule]\nday = "fri"\nat = "09:00"\ncut_off = "mon 08:00"'},
    ),
)
