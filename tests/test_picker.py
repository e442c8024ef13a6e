"""What goes into an issue: the file of its week, the single entries of its window, and late ones."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from bot.calendar import send_at, week_after, week_at
from bot.models import Entry, Issue, Section, Severity, Status, Week
from bot.picker import Picked, entry_key, pick
from bot.settings import Newsletter, Schedule
from bot.text import Paragraph, Text

# The issue of 2025-W17 takes what is dated from Friday 18 April 08:00 to Friday 25 April 08:00 in Berlin.
SCHEDULE = Schedule.model_validate(
    {"day": "fri", "at": "09:00", "zone": "Europe/Berlin", "cut_off": "fri 08:00", "late_limit": "6h"}
)
NEWSLETTER = Newsletter.model_construct(name="ai-papers", title="AI Papers", schedule=SCHEDULE)
W15, W16, W17, W18, W19 = (Week(2025, number) for number in range(15, 20))
NOON_OF_W17 = datetime.fromisoformat("2025-04-25T12:00+02:00")


def single(title: str, date: str, section: str | None = None) -> Entry:
    place = f"content/ai-papers/entries/{title.lower().replace(' ', '-')}.md:1"
    return Entry(title, section=section, date=datetime.fromisoformat(date), place=place)


def issue_file(week: Week, *titles: str, section: str | None = None, name: str | None = None) -> Issue:
    entries = tuple(Entry(title) for title in titles)
    return Issue(
        "ai-papers",
        week,
        "By hand",
        (Section(section, entries),) if entries else (),
        place=f"content/ai-papers/{name or week}.md:1",
    )


def picked(
    week: Week = W17,
    issues: Sequence[Issue] = (),
    entries: Sequence[Entry] = (),
    *,
    taken: Collection[str] = (),
    published: Collection[Week] = (),
    now: datetime = NOON_OF_W17,
) -> Picked:
    return pick(NEWSLETTER, week, issues, entries, taken=taken, published=published, now=now)


def titles(result: Picked) -> dict[str | None, list[str]]:
    assert result.issue
    return {section.title: [entry.title for entry in section.entries] for section in result.issue.sections}


def test_the_file_of_the_week_is_the_issue() -> None:
    file = issue_file(W17, "One", "Two", section="Papers")
    assert picked(issues=[issue_file(W16, "Old"), file]) == Picked(file)


def test_single_entries_follow_at_the_ends_of_their_sections_by_date() -> None:
    result = picked(
        issues=[issue_file(W17, "One", section="Papers")],
        entries=[
            single("Third", "2025-04-24T10:00+02:00", "Papers"),
            single("Tool", "2025-04-20T10:00+02:00", "Tools"),
            single("Second", "2025-04-20T10:00+02:00", "Papers"),
            single("Loose", "2025-04-20T10:00+02:00"),
            single("Book", "2025-04-23T10:00+02:00", "Books"),
        ],
    )
    assert titles(result) == {
        None: ["Loose"],
        "Papers": ["One", "Second", "Third"],
        "Books": ["Book"],
        "Tools": ["Tool"],
    }
    assert list(titles(result)) == [None, "Papers", "Books", "Tools"]
    assert result.taken == (
        "entries/loose.md",
        "entries/book.md",
        "entries/second.md",
        "entries/third.md",
        "entries/tool.md",
    )


def test_a_section_that_the_curators_wrote_twice_stays_twice() -> None:
    file = issue_file(W17, "One", section="Papers")
    file = replace(file, sections=(*file.sections, Section("Papers", (Entry("Two"),))))
    result = picked(issues=[file], entries=[single("Three", "2025-04-20T10:00+02:00", "Papers")])
    assert result.issue
    assert [entry.title for entry in result.issue.entries] == ["One", "Three", "Two"]


def test_without_a_file_the_issue_is_made_of_single_entries() -> None:
    result = picked(entries=[single("One", "2025-04-20T10:00+02:00")])
    assert result.issue
    assert (result.issue.title, result.issue.status) == ("AI Papers, 2025-W17", Status.READY)
    assert titles(result) == {None: ["One"]}


def test_two_entries_that_say_the_same_are_two_entries() -> None:
    one = single("One", "2025-04-20T10:00+02:00")
    result = picked(entries=[one, replace(one, place="content/ai-papers/entries/again.md:1")])
    assert result.taken == ("entries/again.md", "entries/one.md")


@pytest.mark.parametrize(
    ("date", "week"),
    [
        ("2025-04-18T07:59:59+02:00", None),
        ("2025-04-18T08:00:00+02:00", W17),
        ("2025-04-25T07:59:59+02:00", W17),
        ("2025-04-25T08:00:00+02:00", W18),
    ],
)
def test_a_window_is_half_open(date: str, week: Week | None) -> None:
    before_all = datetime.fromisoformat("2025-04-18T08:00+02:00")
    for candidate in (W17, W18):
        result = picked(candidate, entries=[single("One", date)], now=before_all)
        assert bool(result.issue) == (candidate == week)


def test_a_draft_stays_a_draft() -> None:
    result = picked(issues=[replace(issue_file(W17, "One"), status=Status.DRAFT)])
    assert result.issue
    assert result.issue.status is Status.DRAFT


def test_an_empty_window_makes_no_issue_and_says_so() -> None:
    result = picked(issues=[issue_file(W16, "Last week's")], published=[W16])
    assert (result.issue, result.taken) == (None, ())
    (notice,) = result.findings
    assert (notice.rule, notice.severity, notice.issue) == (
        "picker.empty",
        Severity.HINT,
        "ai-papers/2025-W17",
    )
    assert "from 2025-04-18 08:00 CEST to 2025-04-25 08:00 CEST" in notice.message


def test_a_file_with_a_title_alone_is_empty() -> None:
    assert picked(issues=[issue_file(W17)]).issue is None


def test_a_letter_without_entries_is_an_issue() -> None:
    letter = replace(issue_file(W17), intro=(Paragraph((Text("We are back in May."),)),))
    assert picked(issues=[letter]).issue == letter


def test_two_files_for_one_week_are_an_error_that_names_both() -> None:
    result = picked(issues=[issue_file(W17, "One"), issue_file(W17, "Two", name="easter")])
    assert result.issue is None
    (fault,) = result.findings
    assert fault.severity is Severity.ERROR
    assert "2025-W17.md" in str(fault)
    assert "easter.md" in str(fault)


# --------------------------------------------------------------------------------------------- late entries

LATE = single("Late", "2025-04-17T10:00+02:00")  # in the window of 2025-W16


@pytest.mark.parametrize(
    ("published", "week", "now", "goes"),
    [
        # Its own issue has gone out: into the next one, and not into those after it.
        ([W16], W17, "2025-04-20T12:00+02:00", True),
        ([W16], W18, "2025-04-20T12:00+02:00", False),
        # Nothing went out before: nothing old is dredged up.
        ([], W17, "2025-04-25T09:00+02:00", False),
        ([W17], W18, "2025-04-25T12:00+02:00", False),
        # Its own issue never went out and its time is over (due 18 April 09:00, limit 6 h).
        ([W15], W17, "2025-04-18T15:00:01+02:00", True),
        # It may still go out by itself: it keeps its entry.
        ([W15], W17, "2025-04-18T15:00+02:00", False),
        ([W15], W16, "2025-04-18T15:00+02:00", True),
        # The next issue has gone out too, or its time is over as well: on to the one after.
        ([W16, W17], W18, "2025-04-25T12:00+02:00", True),
        ([W16], W18, "2025-04-25T15:00:01+02:00", True),
        ([W16], W17, "2025-04-25T15:00:01+02:00", False),
    ],
)
def test_a_late_entry_goes_into_the_next_issue_that_is_not_over(
    published: list[Week], week: Week, now: str, *, goes: bool
) -> None:
    result = picked(
        week, [issue_file(week, "One")], [LATE], published=published, now=datetime.fromisoformat(now)
    )
    assert (result.taken == ("entries/late.md",)) == goes
    assert [finding.rule for finding in result.findings] == ["picker.late"] * (goes and week != W16)


def test_a_late_entry_is_announced_with_its_place() -> None:
    (notice,) = picked(entries=[LATE], published=[W16]).findings
    assert notice.place == "content/ai-papers/entries/late.md:1"
    assert notice.message == "date: belongs to 2025-W16, which is over: goes into 2025-W17"


def test_an_entry_that_another_issue_took_is_not_taken_again() -> None:
    assert picked(entries=[LATE], taken={"entries/late.md"}, published=[W16]).issue is None


def test_an_entry_without_a_date_belongs_to_no_window() -> None:
    assert picked(entries=[Entry("One", place="content/ai-papers/entries/one.md:1")]).issue is None


@pytest.mark.parametrize(
    ("place", "key"),
    [
        ("content/ai-papers/entries/agents.md:1", "entries/agents.md"),
        ("content/ai-papers/entries/2025/agents.md:12", "entries/2025/agents.md"),
        ("content/ai-papers/entries/agents.md", "entries/agents.md"),
        ("content/ai-papers/entries/a:b.md:3", "entries/a:b.md"),
        ("entries/agents.md:1", "entries/agents.md"),
    ],
)
def test_an_entry_is_known_by_its_path_in_the_folder_of_its_newsletter(place: str, key: str) -> None:
    assert entry_key(Entry("Agents", place=place), "ai-papers") == key


# ------------------------------------------------------------------------------------ over the whole of time

START = datetime(2025, 4, 18, 7, tzinfo=UTC)
spans = st.timedeltas(timedelta(), timedelta(weeks=6))


@given(st.lists(spans, max_size=12), st.data())
def test_every_entry_lands_in_exactly_one_issue(dates: list[timedelta], data: st.DataObject) -> None:
    """Committed whenever, with some issues held: once the last issue is out, each entry was sent once."""
    commits = {
        Entry(str(number), date=START + date, place=f"content/ai-papers/entries/{number}.md:1"): (
            START + date + data.draw(st.timedeltas(timedelta(), timedelta(weeks=2)))
        )
        for number, date in enumerate(dates)
    }
    home = week_at(SCHEDULE, START)
    taken: list[str] = []
    published: list[Week] = [week_after(home, -1)]
    weeks = [week_after(home, number) for number in range(10)]
    held = data.draw(st.sets(st.sampled_from(weeks[:7])))
    for week in weeks:
        now = send_at(SCHEDULE, week)
        result = picked(
            week,
            entries=[entry for entry, at in commits.items() if at <= now],
            taken=taken,
            published=published,
            now=now,
        )
        if result.issue and week not in held:
            taken += result.taken
            published.append(week)
    assert sorted(taken) == sorted(f"entries/{number}.md" for number in range(len(dates)))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8))
def test_single_entries_come_in_an_order_that_does_not_depend_on_the_folder(days: list[int]) -> None:
    entries = [single(f"N{number}", f"2025-04-2{day}T10:00+02:00") for number, day in enumerate(days)]
    forwards, backwards = picked(entries=entries), picked(entries=entries[::-1])
    assert forwards == backwards
    assert forwards.issue
    dates = [entry.date for entry in forwards.issue.entries if entry.date]
    assert all(one <= other for one, other in pairwise(dates))
