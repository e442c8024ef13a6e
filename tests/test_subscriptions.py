"""Readers come in from any spreadsheet, and who left stays away."""

import io
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from bot import subscriptions
from bot.errors import InputError
from bot.models import Consent
from bot.store import Store, open_store, readers, tables
from bot.store.readers import Standing
from bot.subscriptions import ReadersReport, export_csv, import_csv, key_of, next_consent
from tests.measuring import times
from tests.recording import LETTER, NOW
from tests.servers.postgres import Database

PENDING, CONFIRMED, UNSUBSCRIBED = Consent.PENDING, Consent.CONFIRMED, Consent.UNSUBSCRIBED


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Store]:
    """An SQLite ledger, for what does not depend on the database."""
    with closing(open_store("sqlite:///ledger.db", tmp_path)) as store:
        yield store


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    """Another one, for what goes from one to the next."""
    with closing(open_store("sqlite:///other.db", tmp_path)) as store:
        yield store


def imported(
    store: Store, folder: Path, text: str | bytes, consent: Consent = CONFIRMED, *, dry_run: bool = False
) -> ReadersReport:
    file = folder / "readers.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return import_csv(store, file, LETTER, consent, NOW, dry_run=dry_run)


def everybody(store: Store) -> dict[str, tuple[str, str, dict[str, Consent]]]:
    with store.read() as connection:
        return {one.email: (one.name, one.language, one.subscriptions) for one in readers.every(connection)}


def addresses(store: Store) -> list[str]:
    return list(everybody(store))


# ------------------------------------------------------------------------------------------------ consent


@pytest.mark.parametrize(
    ("before", "suppressed", "wanted", "after"),
    [
        (None, None, PENDING, PENDING),
        (None, None, CONFIRMED, CONFIRMED),
        (PENDING, None, PENDING, None),
        (PENDING, None, CONFIRMED, CONFIRMED),
        (CONFIRMED, None, PENDING, None),
        (CONFIRMED, None, CONFIRMED, None),
        (UNSUBSCRIBED, None, PENDING, None),
        (UNSUBSCRIBED, None, CONFIRMED, None),
        (None, "bounced", CONFIRMED, None),
        (PENDING, "bounced", CONFIRMED, None),
        (UNSUBSCRIBED, "bounced", CONFIRMED, None),
    ],
)
def test_consent_only_moves_forward(
    before: Consent | None, suppressed: str | None, wanted: Consent, after: Consent | None
) -> None:
    subscriber = 1 if before else None
    assert next_consent(Standing(subscriber, before, suppressed), wanted) == after


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann@Example.ORG", "ann@example.org"),
        (" ann@example.org ", "ann@example.org"),
        ("ann@BÜCHER.example", "ann@xn--bcher-kva.example"),
        ("jose\u0301@example.org", "josé@example.org"),
    ],
)
def test_two_spellings_of_an_address_are_one_person(one: str, other: str) -> None:
    assert key_of(one) == key_of(other)


def test_a_reader_comes_and_goes(store: Store) -> None:
    def add(consent: Consent) -> str:
        return subscriptions.add(store, LETTER, "Ann@Example.org", "Ann", "en", consent, NOW)

    assert [add(PENDING), add(CONFIRMED), add(PENDING)] == ["pending", "confirmed", "confirmed"]
    assert subscriptions.remove(store, "ANN@example.ORG", None, NOW) == [LETTER]
    assert subscriptions.remove(store, "ann@example.org", None, NOW) == []
    assert add(CONFIRMED) == "unsubscribed"
    assert everybody(store) == {"Ann@example.org": ("Ann", "en", {LETTER: UNSUBSCRIBED})}


def test_a_suppressed_address_is_not_added(store: Store) -> None:
    with store.write() as connection:
        readers.suppress(connection, "ann@example.org", "bounced", NOW)
    added = subscriptions.add(store, LETTER, "ann@example.org", "", "", CONFIRMED, NOW)
    assert (added, addresses(store)) == ("suppressed: bounced", [])


def test_of_many_who_add_the_same_reader_at_once_none_fails(database: Database, store: Store) -> None:
    outcomes: list[object] = []

    def one() -> None:
        opened = database.open()
        try:
            outcomes.append(subscriptions.add(opened, LETTER, "ann@example.org", "", "", CONFIRMED, NOW))
        except BaseException as error:  # noqa: BLE001 (looked at below)
            outcomes.append(error)
        finally:
            opened.close()

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert outcomes == ["confirmed"] * 6
    assert addresses(store) == ["ann@example.org"]


@pytest.mark.parametrize(
    ("email", "name", "language", "reason"),
    [
        ("", "", "", "email is missing"),
        ("ann", "", "", "not an address"),
        ("ann@", "", "", "not an address"),
        ("ann@example.org\nBcc: eve@example.org", "", "", "not an address"),
        ("ann\0@example.org", "", "", "not an address"),
        ("a" * 65 + "@example.org", "", "", "not an address"),
        ("é" * 40 + "@example.org", "", "", "64 octets"),
        ("ann@" + "a" * 300 + ".org", "", "", "not an address"),
        ("ann@example.org", "Ann\r\nBcc: eve", "", "line break"),
        ("ann@example.org", "Ann\0", "", "control character"),
        ("ann@example.org", "\u202eAnn", "", "control character"),
        ("ann@example.org", "=?utf-8?q?Ann?=", "", "encoded word"),
        ("ann@example.org", "A" * 201, "", "longer than 200"),
        ("ann@example.org", "", "English", "is not a tag"),
        ("ann@example.org", "", "e\n", "is not a tag"),
    ],
)
def test_what_is_no_reader_is_refused_without_repeating_the_address(
    ledger: Store, email: str, name: str, language: str, reason: str
) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        subscriptions.add(ledger, LETTER, email, name, language, CONFIRMED, NOW)
    assert "@example" not in str(caught.value)


# ------------------------------------------------------------------------------------------ an import

ANN = {"ann@example.org": ("Ann", "en", {LETTER: CONFIRMED})}


@pytest.mark.parametrize(
    "text",
    [
        "email,name,language\nann@example.org,Ann,en\n",
        "email,name,language\nann@example.org,Ann,en",
        "email,name,language\r\nann@example.org,Ann,en\r\n",
        "email,name,language\rann@example.org,Ann,en\r",
        "\ufeffemail,name,language\nann@example.org,Ann,en\n",
        '\ufeff"email",name,language\n"ann@example.org",Ann,en\n',
        "email;name;language\nann@example.org;Ann;en\n",
        "email\tname\tlanguage\nann@example.org\tAnn\ten\n",
        " E-Mail , Full Name ,Lang\n ann@example.org , Ann , en \n",
        "LANGUAGE,Email Address,First name\nen,ann@example.org,Ann\n",
        "mail,name,locale,phone\nann@example.org,Ann,en,1\n",
        "email,name,language\n\n,,\nann@example.org,Ann,en\n\n",
        "email,name,language\nann@example.org,Ann,en,more,and,more\n",
        'email,notes,name,language\nann@example.org,"a note\nof two lines, ""quoted""",Ann,en\n',
    ],
)  # fmt: skip
def test_a_csv_file_is_read_however_it_was_written(ledger: Store, tmp_path: Path, text: str) -> None:
    report = imported(ledger, tmp_path, text)
    assert everybody(ledger) == ANN
    assert (report.added, report.rejected) == (1, [])


@pytest.mark.parametrize("text", ["", "\n", "name\nAnn\n", "a,b\nann@example.org,Ann\n", "e\0m\0a\0i\0l\n"])
def test_a_file_without_a_column_of_addresses_is_refused(ledger: Store, tmp_path: Path, text: str) -> None:
    with pytest.raises(
        InputError, match=r"readers\.csv:1: no column is called email: give the file a header"
    ):
        imported(ledger, tmp_path, text)


@pytest.mark.parametrize("name", ["missing.csv", "."])
def test_a_file_that_cannot_be_read_is_refused(ledger: Store, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="name a readable CSV file"):
        import_csv(ledger, tmp_path / name, LETTER, CONFIRMED, NOW)


BAD_ROWS = [
    (b"ann", "not an address"),
    (b"ann@example.org,Caf\xe9", "not UTF-8: save the file as UTF-8"),
    (b"\xff\xfeann@example.org", "not UTF-8: save the file as UTF-8"),
    (b"ann\0@example.org", "not an address"),
    (b'"ann@example.org', "not CSV: "),
    (b'"ann@example.org"x,Ann', "not CSV: "),
    (b"ann@example.org," + b"x" * 10_001, " than "),
    (b"ann@example.org," + b"x," * 60_000, " more than "),
    (b'ann@example.org,"Ann\nof two lines"', "line break"),
    (b",Ann", "email is missing"),
    (b"ann@example.org,Ann,English", "is not a tag"),
]


@pytest.mark.parametrize(("bad", "reason"), BAD_ROWS, ids=range(len(BAD_ROWS)))
def test_one_bad_row_is_named_by_its_line_and_keeps_nobody_else_out(
    ledger: Store, tmp_path: Path, bad: bytes, reason: str
) -> None:
    good = [f"r{number}@example.org" for number in range(20)]
    lines = ["email,name,language", *good[:10], "BAD", *good[10:]]
    report = imported(ledger, tmp_path, "\n".join(lines).encode().replace(b"BAD", bad))
    assert addresses(ledger) == sorted(good)
    [rejected] = report.rejected
    assert rejected["line"] == 12
    assert reason in rejected["reason"]


def test_lines_are_counted_through_quotes_and_rows_that_were_read_again(
    ledger: Store, tmp_path: Path
) -> None:
    text = 'email,notes\na@x.org,"two\nlines"\nbad\n"never closed\nb@x.org,\nworse\nc@x.org,"x"y\nd@x.org,\n'
    report = imported(ledger, tmp_path, text)
    assert [row["line"] for row in report.rejected] == [4, 5, 7, 8]
    assert addresses(ledger) == ["a@x.org", "b@x.org", "d@x.org"]


def test_columns_that_are_not_read_are_named(ledger: Store, tmp_path: Path) -> None:
    report = imported(ledger, tmp_path, "email,Prénom,Phone\nann@example.org,Ann,1\n")
    assert report.ignored_columns == ["Prénom", "Phone"]


def test_an_address_is_taken_once(store: Store, tmp_path: Path) -> None:
    report = imported(store, tmp_path, "email,name\nann@example.org,Ann\nANN@Example.org,Other\n")
    assert (report.added, report.duplicates) == (1, 1)
    assert everybody(store)["ann@example.org"][0] == "Ann"


def test_who_left_or_is_barred_does_not_come_back(store: Store, tmp_path: Path) -> None:
    text = "email\nann@example.org\nbob@example.org\neve@example.org\n"
    for name in ("ann", "bob"):
        subscriptions.add(store, LETTER, f"{name}@example.org", "", "", CONFIRMED, NOW)
    subscriptions.remove(store, "ann@example.org", LETTER, NOW)
    with store.write() as connection:
        readers.suppress(connection, "bob@example.org", "bounced", NOW)
        readers.suppress(connection, "eve@example.org", "complained", NOW)
    report = imported(store, tmp_path, text)
    assert (report.kept_out, report.added, report.changed) == (3, 0, 0)
    assert everybody(store)["ann@example.org"][2] == {LETTER: UNSUBSCRIBED}
    assert "eve@example.org" not in everybody(store)


def test_who_left_one_newsletter_may_read_another(store: Store, tmp_path: Path) -> None:
    subscriptions.add(store, "another", "ann@example.org", "", "", CONFIRMED, NOW)
    subscriptions.remove(store, "ann@example.org", "another", NOW)
    assert imported(store, tmp_path, "email\nann@example.org\n").added == 1
    assert everybody(store)["ann@example.org"][2] == {"another": UNSUBSCRIBED, LETTER: CONFIRMED}


def test_pending_ones_are_confirmed_and_nobody_is_moved_back(store: Store, tmp_path: Path) -> None:
    text = "email\nann@example.org\n"
    reports = [imported(store, tmp_path, text, consent) for consent in (PENDING, CONFIRMED, PENDING)]
    assert [(one.added, one.changed, one.unchanged) for one in reports] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    assert everybody(store)["ann@example.org"][2] == {LETTER: CONFIRMED}


def test_a_dry_run_tells_all_and_changes_nothing(store: Store, tmp_path: Path) -> None:
    text = "email\nann@example.org\nbad\n"
    dry = imported(store, tmp_path, text, dry_run=True)
    assert addresses(store) == []
    wet = imported(store, tmp_path, text)
    assert (dry.added, dry.rejected) == (wet.added, wet.rejected)
    assert (dry.dry_run, wet.dry_run) == (True, False)


# --------------------------------------------------------------------------------------------- exporting


def exported(store: Store, newsletter: str | None = None) -> str:
    stream = io.StringIO()
    export_csv(store, stream, newsletter)
    return stream.getvalue()


def test_every_state_is_exported(store: Store) -> None:
    for name, newsletter in (("ann", LETTER), ("ann", "another"), ("bob", "another")):
        subscriptions.add(store, newsletter, f"{name}@example.org", name, "en", CONFIRMED, NOW)
    subscriptions.remove(store, "bob@example.org", None, NOW)
    with store.write() as connection:
        readers.suppress(connection, "bob@example.org", "bounced", NOW)
    assert exported(store).splitlines() == [
        "email,name,language,newsletter,state,suppressed",
        "ann@example.org,ann,en,another,confirmed,",
        "ann@example.org,ann,en,letter,confirmed,",
        "bob@example.org,bob,en,another,unsubscribed,bounced",
    ]
    assert exported(store, LETTER).splitlines()[1:] == ["ann@example.org,ann,en,letter,confirmed,"]


def test_what_an_export_says_of_consent_is_kept(store: Store, tmp_path: Path) -> None:
    text = (
        "email,name,language,newsletter,state,suppressed\n"
        "ann@example.org,,,letter,confirmed,\n"
        "bob@example.org,,,letter,unsubscribed,\n"
        "eve@example.org,,,letter,confirmed,bounced\n"
        "kim@example.org,,,letter,pending,\n"
        "lea@example.org,,,another,confirmed,\n"
        "pat@example.org,,,letter,nonsense,\n"
    )
    report = imported(store, tmp_path, text)
    assert (report.added, report.kept_out, report.of_other_newsletters) == (2, 2, 1)
    assert [row["line"] for row in report.rejected] == [7]
    with store.read() as connection:
        census = readers.census(connection, LETTER)
    assert census == {"confirmed": 1, "unsubscribed": 1, "suppressed": 1, "pending": 1}


FORMULAS = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "'=1",
    "''+1",
    "'quoted'",
    "'",
    "O'Neill",
    '=HYPERLINK("http://x","y")',
]


@pytest.mark.parametrize("name", FORMULAS)
def test_no_name_is_run_by_a_spreadsheet_and_all_come_back(
    ledger: Store, other: Store, tmp_path: Path, name: str
) -> None:
    subscriptions.add(ledger, LETTER, "=cmd@example.org", name, "", CONFIRMED, NOW)
    text = exported(ledger)
    assert not any(cell.strip('"')[:1] in set("=+-@") for cell in text.splitlines()[1].split(",") if cell)
    imported(other, tmp_path, text)
    assert everybody(other) == everybody(ledger)


NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.sampled_from(" ',;\"=+-@"), max_size=12
)
LANGUAGES = st.sampled_from(["", "en", "pt-BR", "zh-Hant-TW"])


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(people=st.lists(st.tuples(NAMES, LANGUAGES), max_size=5))
def test_an_export_comes_back_the_same(
    ledger: Store, other: Store, tmp_path: Path, people: list[tuple[str, str]]
) -> None:
    for one in (ledger, other):
        with one.write() as connection:
            connection.execute(tables.subscriptions.delete())
            connection.execute(tables.subscribers.delete())
    for number, (name, language) in enumerate(people):
        subscriptions.add(ledger, LETTER, f"r{number}@example.org", name, language, CONFIRMED, NOW)
    text = exported(ledger)
    report = imported(other, tmp_path, text)
    assert report.rejected == []
    assert everybody(other) == everybody(ledger)
    assert exported(other) == text


# ----------------------------------------------------------------------------------------------- quantity


def test_twenty_thousand_rows_take_ten_times_what_two_thousand_do_and_little_memory(
    ledger: Store, other: Store, tmp_path: Path
) -> None:
    def readers_of(store: Store, count: int) -> ReadersReport:
        rows = (f"reader{number}@example.org,Reader {number},en\n" for number in range(count))
        return imported(store, tmp_path, "email,name,language\n" + "".join(rows))

    few = partial(readers_of, other, 2_000)
    assert times(partial(readers_of, ledger, 20_000), few, turns=1) < 30
    assert len(everybody(ledger)) == 20_000
    tracemalloc.start()
    with (tmp_path / "out.csv").open("w") as stream:
        export_csv(ledger, stream)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8_000_000
