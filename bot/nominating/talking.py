"""What the slash command and the shortcut say: add, next, status, help, each answered to one person alone."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

from bot.calendar import upcoming
from bot.drafting import draft, goes
from bot.errors import RefusedError
from bot.listening.envelopes import Command, Shortcut
from bot.listening.words import Written, written
from bot.lookups import Wire, title
from bot.nominating.entries import Nomination, TitleOf, nominate
from bot.plugins import nearest
from bot.settings import Newsletter
from bot.store import often

if TYPE_CHECKING:
    from bot.app import App
    from bot.desk import Desk
    from bot.listening import Actions

SHORTCUT = "nominate"
"""The `callback_id` of the shortcut at a message."""
MOST = 20
"""Nominations that one person makes in ten minutes."""
NOMINATED = "nominated"
"""The kind of the events that are counted; who it was stands there only as a hash."""
STRANGER = "Only curators can do that."
VERBS = ("add", "next", "status", "help")
USAGE = """\
add https://… a note — nominate an entry; the note is optional
add {name} https://… a note — the same, where there are several newsletters
next — when the next issue goes out, and how it stands
status — who has the last issue
help — this"""


def title_on_the_web(url: str) -> str | None:
    """What a page calls itself, asked within seconds and of the public internet alone."""
    return title(url, Wire(agent="Broadsheet (reads the titles of pages)", silence=4.0, limit=6.0))


def add(
    actions: "Actions", app: "App", clock: Callable[[], datetime], title_of: TitleOf | None = None
) -> None:
    """Let the slash command and the shortcut do what they are for."""
    talk = Talk(app, clock, title_of or title_on_the_web)
    actions.add_command(talk.told)
    actions.add_shortcut(SHORTCUT, talk.chosen)


@dataclass(frozen=True)
class Talk:
    """Answers what people say to the app."""

    app: "App"
    clock: Callable[[], datetime]
    title_of: TitleOf = field(repr=False)

    # ------------------------------------------------------------------------------------------- what is said

    def told(self, command: Command) -> Iterator[str]:
        """Do what stands behind the slash command."""
        said = written(command.text, labels=False)
        verb, _, rest = said.text.strip().partition(" ")
        match verb.lower():
            case "add":
                yield self._add(said, rest.strip(), command)
            case "next":
                yield self._line(command.user, self._next, "")
            case "status":
                yield self._line(command.user, self._status, "Nothing was published yet.", curators=True)
            case "help" | "":
                yield self._usage()
            case _:
                yield f"{verb[:40]!r} is none of {', '.join(VERBS)}{nearest(verb, VERBS)}\n{self._usage()}"

    def _usage(self) -> str:
        return USAGE.format(name=next(iter(self.app.settings.newsletters), "name"))

    def chosen(self, shortcut: Shortcut) -> Iterator[str]:
        """Nominate the first link of a message, with the message's words as the note."""
        said = written(shortcut.text)
        if not said.urls:
            yield "There is no link in that message, so there is nothing to nominate."
            return
        newsletter = self._newsletter("", shortcut.user)
        if isinstance(newsletter, str):
            yield newsletter
            return
        note = said.text.replace(said.urls[0], " ")
        more = len(set(said.urls)) - 1
        left = f"\nThe message has {more} more link{'s' if more > 1 else ''}: only the first was taken."
        yield self._nominated(newsletter, said.urls[0], note, shortcut) + (left if more else "")

    # ---------------------------------------------------------------------------------------------------- add

    def _add(self, said: Written, rest: str, command: Command) -> str:
        if not said.urls:
            return f"Which page? Give its address.\n{self._usage()}"
        before, _, after = rest.partition(said.urls[0])
        name, _, words = before.strip().partition(" ")
        if name and name not in self.app.settings.newsletters and (words or after.strip()):
            name, words = "", before
        newsletter = self._newsletter(name, command.user)
        if isinstance(newsletter, str):
            return newsletter
        return self._nominated(newsletter, said.urls[0], f"{words.strip()} {after.strip()}", command)

    def _newsletter(self, name: str, user: str) -> Newsletter | str:
        """The newsletter meant, which this person may nominate to; else what to tell them."""
        every = self.app.settings.newsletters
        if name and name not in every:
            return f"{name[:40]!r} is none of {', '.join(every)}{nearest(name, every)}"
        theirs = [one for one in every.values() if may_nominate(one, user)]
        named = [one for one in theirs if name in {"", one.name}]
        if not named:
            return STRANGER
        if len(named) > 1:
            names = ", ".join(one.name for one in named)
            return f"Which newsletter? Say `add {named[0].name} https://…`: there are {names}."
        return named[0]

    def _nominated(self, newsletter: Newsletter, url: str, note: str, asked: Command | Shortcut) -> str:
        """Write it down, and say where it is; or why not."""
        now, settings = self.clock(), self.app.settings
        if not self._in_measure(asked.user, now):
            return f"{MOST} nominations within ten minutes are enough: wait a little."
        curator = newsletter.curator_in_slack(asked.user)
        by = newsletter.known_as(curator) if curator else asked.user_name or asked.user
        nomination = Nomination(url, note, by)
        try:
            entry, path = nominate(
                lambda: self.app.desk(newsletter), settings, nomination, now, self.title_of
            )
        except RefusedError as refused:
            return f"Not added. {refused}"
        return f"Added to {newsletter.title}: “{entry.title}”.\n{path.relative_to(settings.root).as_posix()}"

    def _in_measure(self, user: str, now: datetime) -> bool:
        whose, span = sha256(user.encode()).hexdigest()[:16], timedelta(minutes=10)
        with self.app.store.write() as connection:
            return often.note(connection, NOMINATED, whose, most=MOST, within=span, now=now)

    # --------------------------------------------------------------------------------------- next and status

    def _line(self, user: str, line: "Callable[[Desk], str]", nothing: str, *, curators: bool = False) -> str:
        """A line for each newsletter that this person may know of."""
        theirs = [one for one in self.app.settings.newsletters.values() if _may(one, user, curators=curators)]
        if not theirs:
            return STRANGER
        lines = [line(self.app.desk(one)) for one in theirs]
        return "\n".join(filter(None, lines)) or nothing

    def _next(self, desk: "Desk") -> str:
        """When the next issue goes, and how it stands."""
        now = self.clock()
        week = upcoming(desk.newsletter.schedule, now, 1)[0].week
        document = draft(desk, week, now)
        name = f"{desk.newsletter.title}, {week}"
        if document is None:
            return f"{name}: {goes(desk, week)}. Nothing was collected for it yet."
        return f"{name}: {document.small}. {document.stands}"

    def _status(self, desk: "Desk") -> str:
        """Who has the issue that went out last."""
        from bot.overview import statuses  # noqa: PLC0415 (only for who asks)

        gone = next((one for one in statuses(desk, self.clock()) if one["channels"]), None)
        return f"{gone['issue']}: {'; '.join(_balances(gone['channels']))}." if gone else ""


def _balances(channels: "dict[str, dict[str, int]]") -> Sequence[str]:
    return [
        f"{name} {one['sent']} of {one['planned']} sent"
        + "".join(f", {one[key]} {key.replace('_', ' ')}" for key in ("failed", "in_doubt") if one[key])
        for name, one in channels.items()
    ]


def may_nominate(newsletter: Newsletter, user: str) -> bool:
    """Whether somebody in Slack may nominate entries."""
    return _may(newsletter, user, curators=False)


def _may(newsletter: Newsletter, user: str, *, curators: bool) -> bool:
    everybody = newsletter.drafts.nominations == "everybody" and not curators
    return everybody or newsletter.curator_in_slack(user) is not None
