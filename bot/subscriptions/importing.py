"""Takes readers from a CSV file: each row by itself, each fault with its line, nobody brought back."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, islice
from pathlib import Path
from typing import Any

from bot.errors import InputError
from bot.models import Consent
from bot.store import Store, readers
from bot.store.readers import Standing, Wish
from bot.subscriptions import exporting
from bot.subscriptions.consent import Case, enter, new_token, next_consent
from bot.subscriptions.persons import reason_of, wish_of
from bot.subscriptions.rows import Row, opened, rows_of, undecoded

BATCH = 1000
"""Rows that are looked up and entered together."""

COLUMNS = {
    "email": ("email", "e-mail", "mail", "address", "email address", "e-mail address"),
    "name": ("name", "full name", "first name"),
    "language": ("language", "lang", "locale"),
}
"""What a column may be called in other people's exports."""

OURS = ("newsletter", "state", "suppressed")
"""Columns that only our own exports have, all three: other people's `state` is a part of a country."""


@dataclass(slots=True)
class ReadersReport:
    """What an import of readers did."""

    file: str
    newsletter: str
    consent: str
    dry_run: bool
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    kept_out: int = 0
    """Readers who left and suppressed addresses: an import does not bring them back."""
    duplicates: int = 0
    of_other_newsletters: int = 0
    ignored_columns: list[str] = field(default_factory=list)
    rejected: list[dict[str, Any]] = field(default_factory=list)
    """`{"line": 7, "reason": "…"}` for each row that could not be read."""

    def reject(self, line: int, reason: str) -> None:
        self.rejected.append({"line": line, "reason": reason})


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a row says of a person; more than the import vouches for is not believed."""

    wish: Wish
    consent: Consent
    newsletter: str
    suppressed: str


def import_csv(
    store: Store,
    file: Path,
    newsletter: str,
    consent: Consent,
    now: datetime,
    *,
    dry_run: bool = False,
    token: Callable[[], str] = new_token,
) -> ReadersReport:
    """Take readers from a CSV file with a header row; bad rows are reported and the others go in."""
    report = ReadersReport(str(file), newsletter, str(consent), dry_run)
    with opened(file) as stream:
        claims = _first_of_each(_claims(rows_of(stream), consent, report), report)
        while batch := list(islice(claims, BATCH)):
            _import_batch(store, newsletter, batch, token, now, report)
    return report


# ---------------------------------------------------------------------------------------------- reading


def _claims(rows: Iterator[Row], consent: Consent, report: ReadersReport) -> Iterator[_Claim]:
    """What the rows of a file say; those that cannot be read go into the report."""
    first = next(rows, Row(1))
    columns = _columns(first, report)
    for row in rows if columns.headed else chain([first], rows):
        try:
            claim = _claim(row, columns, consent)
        except ValueError as error:
            report.reject(row.line, str(error))
            continue
        if claim.newsletter in {"", report.newsletter}:
            yield claim
        else:
            report.of_other_newsletters += 1


def _claim(row: Row, columns: "_Columns", consent: Consent) -> _Claim:
    if row.fault:
        raise ValueError(row.fault)
    wish = wish_of(*(columns.of(row, name) for name in COLUMNS))
    newsletter, said, suppressed = (columns.of(row, name) for name in OURS)
    if said and said not in set(Consent):
        raise ValueError(f"state is none of {', '.join(Consent)}")
    return _Claim(wish, _least(consent, said), newsletter, reason_of(suppressed))


def _least(vouched: Consent, said: str) -> Consent:
    """Who left has left, and who had not confirmed has not, whoever vouches for the file."""
    return Consent(said) if said in {Consent.UNSUBSCRIBED, Consent.PENDING} else vouched


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where in a row each thing is."""

    places: dict[str, int]
    headed: bool = True

    def of(self, row: Row, name: str) -> str:
        """A cell; empty where the row has none, ValueError where it is not UTF-8."""
        place = self.places.get(name, len(row.cells))
        cell = row.cells[place] if place < len(row.cells) else ""
        if undecoded(cell):
            raise ValueError("not UTF-8: save the file as UTF-8")
        return exporting.as_meant(cell)


def _columns(header: Row, report: ReadersReport) -> _Columns:
    """Which column is which; a single column of addresses needs no header."""
    if header.fault or any(undecoded(cell) for cell in header.cells):
        raise InputError(f"{report.file}:1", header.fault or "not UTF-8", "save it as UTF-8 CSV")
    names = [cell.strip().casefold() for cell in header.cells]
    places = {column: place for column in COLUMNS if (place := _place(column, names)) is not None}
    if "email" not in places:
        return _without_header(header, report)
    if set(OURS) <= set(names):
        places |= {name: names.index(name) for name in OURS}
    report.ignored_columns = [
        cell.strip() for place, cell in enumerate(header.cells) if place not in places.values()
    ]
    return _Columns(places)


def _without_header(first: Row, report: ReadersReport) -> _Columns:
    if len(first.cells) == 1 and "@" in first.cells[0]:
        return _Columns({"email": 0}, headed=False)
    mend = "give the file a header row: email,name,language"
    raise InputError(f"{report.file}:1", "no column is called email", mend)


def _place(column: str, names: Sequence[str]) -> int | None:
    return next((names.index(spelling) for spelling in COLUMNS[column] if spelling in names), None)


def _first_of_each(claims: Iterable[_Claim], report: ReadersReport) -> Iterator[_Claim]:
    seen: set[str] = set()
    for claim in claims:
        if claim.wish.key in seen:
            report.duplicates += 1
        else:
            seen.add(claim.wish.key)
            yield claim


# --------------------------------------------------------------------------------------------- entering


def _import_batch(
    store: Store,
    newsletter: str,
    claims: list[_Claim],
    token: Callable[[], str],
    now: datetime,
    report: ReadersReport,
) -> None:
    with store.read() if report.dry_run else store.write() as connection:
        stands = readers.standings(connection, newsletter, [claim.wish.key for claim in claims])
        cases = [_case(claim, stands[claim.wish.key]) for claim in claims]
        for claim, (_, standing, consent) in zip(claims, cases, strict=True):
            _count(report, standing, consent, barred=bool(claim.suppressed))
        if report.dry_run:
            return
        enter(connection, newsletter, cases, token, now)
        for claim in claims:
            if claim.suppressed:
                readers.suppress(connection, claim.wish.key, claim.suppressed, now)


def _case(claim: _Claim, standing: Standing) -> Case:
    """A file's word that somebody left counts for strangers; whom we know has told us themselves."""
    leaves = claim.consent is Consent.UNSUBSCRIBED and standing.consent is not None
    return claim.wish, standing, standing.consent if leaves and standing.consent else claim.consent


def _count(report: ReadersReport, standing: Standing, consent: Consent, *, barred: bool) -> None:
    if barred or standing.suppressed or Consent.UNSUBSCRIBED in {standing.consent, consent}:
        report.kept_out += 1
    elif not next_consent(standing, consent):
        report.unchanged += 1
    elif standing.consent is None:
        report.added += 1
    else:
        report.changed += 1
