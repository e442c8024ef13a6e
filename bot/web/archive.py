"""The archive: the list of newsletters, the list of issues, the issues, and their feeds."""

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from flask import Blueprint, Response, abort, redirect
from werkzeug.wrappers import Response as Answer

from bot.calendar import day_in
from bot.feeds import FORMS, NEVER, Feed, Item, issue_id
from bot.links import home_url, issue_url
from bot.pages import Page, noted
from bot.settings import Newsletter
from bot.store import archive
from bot.store.archive import Shown
from bot.web.site import Masthead, Site, html, kept

PER_PAGE = 25
"""Issues on one page of the archive."""
IN_FEED = 10
"""Issues in a feed, which carries them whole: a reader of a weekly is not away for longer."""


def blueprint(site: Site) -> Blueprint:
    """The pages, at their addresses: with one newsletter at the top, with several each below its name."""
    pages, views = Blueprint("archive", __name__), _Views(site)
    for prefix in ("", "/<name>"):
        end = prefix and "_named"
        pages.add_url_rule(f"{prefix}/", f"issues{end}", views.issues)
        pages.add_url_rule(f"{prefix}/page/<int:number>", f"more{end}", views.issues)
        pages.add_url_rule(f"{prefix}/issues/<week>", f"issue{end}", views.issue)
        for file in FORMS:
            pages.add_url_rule(
                f"{prefix}/{file}", f"{file.replace('.', '_')}{end}", views.feed, defaults={"file": file}
            )
    return pages


class _Views:
    """What is answered at each address."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._summaries: dict[tuple[int, int], str] = {}

    # ------------------------------------------------------------------------------------------------ lists

    def issues(self, name: str | None = None, number: int = 1) -> Answer:
        """A page of a newsletter's issues; of several newsletters, the list of them."""
        newsletter = self._newsletter(name, f"page/{number}" if number > 1 else "")
        if newsletter is None:
            return self._newsletters() if number == 1 else abort(404)
        every = self._shown(newsletter.name)
        pages = max(1, -(-len(every) // PER_PAGE))
        if not 1 <= number <= pages:
            abort(404)
        here = every[(number - 1) * PER_PAGE : number * PER_PAGE]
        return kept(self._listed(newsletter, here, number, pages), _latest(every))

    def _listed(self, newsletter: Newsletter, here: Sequence[Shown], number: int, pages: int) -> Response:
        home = self._site.home(newsletter)
        canonical = home_url(self._site.settings.url, newsletter.name, several=self._site.settings.several)
        return self._site.page(
            "archive",
            newsletter,
            shown=[self._line(one, newsletter) for one in here],
            newer=_page(home, number - 1) if number > 1 else "",
            older=_page(home, number + 1) if number < pages else "",
            up=self._site.home(self._site.masthead) if self._site.settings.several else "",
            canonical=_page(canonical, number),
        )

    def _line(self, one: Shown, newsletter: Newsletter, *, named: bool = False) -> dict[str, Any]:
        """What a list says of an issue."""
        return {
            "path": f"{self._site.home(newsletter)}issues/{one.week}",
            "title": one.title,
            "day": str(day_in(newsletter.schedule.zone, one.at)),
            "summary": self._summary(one),
            "newsletter": newsletter.title if named else "",
        }

    def _newsletters(self) -> Answer:
        every, settings = self._shown(None), self._site.settings
        newest = {one.newsletter: one for one in reversed(every)}
        lines = [
            {
                "path": self._site.home(newsletter),
                "title": newsletter.title,
                "tagline": newsletter.tagline,
                "language": newsletter.language,
                "direction": newsletter.direction,
                "day": str(day_in(newsletter.schedule.zone, newest[name].at)) if name in newest else "",
            }
            for name, newsletter in settings.newsletters.items()
        ]
        page = self._site.page("newsletters", self._site.masthead, shown=lines, canonical=f"{settings.url}/")
        return kept(page, _latest(every))

    # ----------------------------------------------------------------------------------------------- issues

    def issue(self, week: str, name: str | None = None) -> Answer:
        """The frozen page of an issue, with the days of its corrections."""
        newsletter = self._newsletter(name, f"issues/{week}")
        if newsletter is None:
            return self._of_that_week(week)
        one = next((one for one in self._shown(newsletter.name) if str(one.week) == week), None)
        if one is None:
            abort(404)
        page = self._page(one).page
        return kept(html(noted(page, self._note(one, newsletter)) if one.corrected else page), one.updated)

    def _of_that_week(self, week: str) -> Answer:
        """Where mails lead that left when there was one newsletter: to its issue, or those of that week."""
        here = [one for one in self._shown(None) if str(one.week) == week]
        every = self._site.settings.newsletters
        if not here:
            abort(404)
        if len(here) == 1:
            return redirect(f"{self._site.home(every[here[0].newsletter])}issues/{week}")
        lines = [self._line(one, every[one.newsletter], named=True) for one in here]
        return self._site.page(
            "archive",
            self._site.masthead,
            shown=lines,
            newer="",
            older="",
            up="",
            canonical=f"{self._site.settings.url}/",
        )

    def _note(self, one: Shown, newsletter: Newsletter) -> str:
        days = [str(day_in(newsletter.schedule.zone, at)) for at in one.corrected]
        return self._site.filled("corrected", newsletter, days=list(dict.fromkeys(days)))

    # ------------------------------------------------------------------------------------------------ feeds

    def feed(self, file: str, name: str | None = None) -> Answer:
        """The latest issues in one of the forms that feeds have."""
        newsletter = self._newsletter(name, file)
        every = self._shown(newsletter.name if newsletter else None)
        every = sorted(every, key=lambda one: one.at, reverse=True)[:IN_FEED]
        mime, written = FORMS[file]
        feed = self._feed(newsletter or self._site.masthead, every, file)
        return kept(Response(written(feed), content_type=f"{mime}; charset=utf-8"), feed.updated)

    def _feed(self, newsletter: Newsletter | Masthead, every: Sequence[Shown], file: str) -> Feed:
        url, several = self._site.settings.url, self._site.settings.several
        name = getattr(newsletter, "name", "")
        home = home_url(url, name, several=several and bool(name))
        items = [self._item(one) for one in every]
        description = newsletter.tagline or newsletter.title
        return Feed(newsletter.title, description, newsletter.language, home, f"{home}{file}", items)

    def _item(self, one: Shown) -> Item:
        newsletter, page = self._site.settings.newsletters[one.newsletter], self._page(one)
        url, several = self._site.settings.url, self._site.settings.several
        return Item(
            id=issue_id(newsletter.list_id, one.newsletter, str(one.week), one.at),
            url=issue_url(url, one.newsletter, one.week, several=several),
            title=one.title,
            summary=page.summary or one.title,
            content=(self._note(one, newsletter) if one.corrected else "") + page.article,
            language=newsletter.language,
            published=one.at,
            updated=one.updated,
        )

    # --------------------------------------------------------------------------------------------- the rest

    def _newsletter(self, name: str | None, rest: str) -> Newsletter | None:
        """The newsletter that an address means; None where it means all of several.

        The only one may be named as well, as it was in mails that left when there were several.
        """
        every, only = self._site.settings.newsletters, self._site.only
        if name is None:
            return only
        if name not in every:
            abort(404)
        if only:
            abort(redirect(f"{self._site.home(only)}{rest}", 301))
        return every[name]

    def _shown(self, newsletter: str | None) -> list[Shown]:
        known = self._site.settings.newsletters
        with self._site.store.read() as connection:
            return [one for one in archive.shown(connection, newsletter) if one.newsletter in known]

    def _summary(self, one: Shown) -> str:
        """What a list says of an issue; remembered, as a revision never changes and a page is large."""
        key = one.id, one.revision
        if key not in self._summaries:
            self._summaries[key] = self._page(one).summary
        return self._summaries[key]

    def _page(self, one: Shown) -> Page:
        with self._site.store.read() as connection:
            return Page.load(archive.page_of(connection, one))


def _latest(every: Sequence[Shown]) -> Any:
    return max((one.updated for one in every), default=NEVER).astimezone(UTC)


def _page(home: str, number: int) -> str:
    return f"{home}page/{number}" if number > 1 else home
