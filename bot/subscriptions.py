"""Readers come and go: consent that only moves forward, and an import that loses nobody to one bad row.

pending ─▶ confirmed ─▶ unsubscribed      and never back by an import
"""

import csv
import re
import secrets
import string
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any

from email_validator import EmailNotValidError, validate_email

from bot.errors import InputError
from bot.models import Consent
from bot.store import Store, readers
from bot.store.readers import Standing, Wish

BATCH = 1000
"""Rows that are looked up and entered together."""

_FORMULA = {"=", "+", "-", "@", "\t", "\r"}
"""What a spreadsheet takes for the beginning of a formula (OWASP: CSV injection)."""

LONGEST_FIELD = 10_000
LOCAL_PART = 64
"""Octets before the @ (RFC 5321 §4.5.3.1.1)."""

COLUMNS = {
    "email": ("email", "e-mail", "mail", "address", "email address"),
    "name": ("name", "full name", "first name"),
    "language": ("language", "lang", "locale"),
}
"""What a column may be called in other people's exports."""


def new_token() -> str:
    """A subscription's secret name: 22 characters hold 131 bits, and need no escaping anywhere."""
    return "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(22))


# ---------------------------------------------------------------------------------------------- persons


def wish_of(email: str, name: str, language: str) -> Wish:
    """A person as they are to be entered; ValueError says what is wrong without repeating the address."""
    address = _address(email.strip())
    return Wish(address, key_of(address), _name(name.strip()), _language(language.strip()))


def key_of(email: str) -> str:
    """The form in which two spellings of one address are equal: mail providers ignore the case."""
    local, _, domain = email.strip().rpartition("@")
    with suppress(EmailNotValidError):
        domain = domain if domain.isascii() else _ascii_domain(domain)
    return f"{local.casefold()}@{domain.casefold()}"


def _ascii_domain(domain: str) -> str:
    return validate_email(f"a@{domain}", check_deliverability=False, test_environment=True).ascii_domain


def _address(email: str) -> str:
    if not email:
        raise ValueError("email is missing")
    try:
        found = validate_email(email, check_deliverability=False, test_environment=True)
    except EmailNotValidError as error:
        raise ValueError(f"not an address: {_without(str(error), email)}") from error
    if len(found.local_part.encode()) > LOCAL_PART:
        raise ValueError(f"not an address: more than {LOCAL_PART} octets before the @")
    return found.normalized


def _without(words: str, email: str) -> str:
    return words.replace(email, "…")


def _name(name: str) -> str:
    if not name.isprintable():
        raise ValueError("name has a line break or a control character")
    if re.search(r"=\?[^?\s]+\?[bq]\?", name, re.IGNORECASE):
        raise ValueError("name looks like an encoded word (=?…?=), which mail programs would decode")
    if len(name) > 200:  # noqa: PLR2004 (a name, not a text)
        raise ValueError("name is longer than 200 characters")
    return name


def _language(language: str) -> str:
    if language and not re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", language):
        raise ValueError(f"language {language[:40]!r} is not a tag such as en or pt-BR")
    return language


# ---------------------------------------------------------------------------------------------- deciding


def next_consent(standing: Standing, wanted: Consent) -> Consent | None:
    """What a subscription becomes when somebody else vouches for a reader; None where it stays as it is.

    Who left comes back by asking for it, and a suppressed address by nobody's list.
    """
    if standing.suppressed or standing.consent in {Consent.UNSUBSCRIBED, Consent.CONFIRMED, wanted}:
        return None
    return wanted


# ------------------------------------------------------------------------------------------------ one by one


def add(
    store: Store,
    newsletter: str,
    email: str,
    name: str,
    language: str,
    consent: Consent,
    now: datetime,
    token: Callable[[], str] = new_token,
) -> str:
    """Add one reader; their state afterwards, `suppressed` where nobody may mail them."""
    try:
        wish = wish_of(email, name, language)
    except ValueError as error:
        raise InputError("subscribers add", str(error), "mend it and try again") from error
    with store.write() as connection:
        standing = readers.standings(connection, newsletter, [wish.key])[wish.key]
        _enter(connection, newsletter, [(wish, standing)], consent, token, now)
    if standing.suppressed:
        return f"suppressed: {standing.suppressed}"
    return next_consent(standing, consent) or standing.consent or consent


def _enter(
    connection: Any,
    newsletter: str,
    batch: Iterable[tuple[Wish, Standing]],
    consent: Consent,
    token: Callable[[], str],
    now: datetime,
) -> None:
    """Write down what `next_consent` decided for each."""
    moving = [(wish, standing) for wish, standing in batch if next_consent(standing, consent)]
    strangers = [wish for wish, standing in moving if standing.subscriber is None]
    known = [s.subscriber for _, s in moving if s.subscriber is not None and s.consent is None]
    pending = [s.subscriber for _, s in moving if s.subscriber is not None and s.consent is not None]
    readers.enter(connection, newsletter, strangers, consent, token, now)
    readers.subscribe(connection, newsletter, known, consent, token, now)
    readers.change(connection, newsletter, pending, consent, now)


def remove(store: Store, email: str, newsletter: str | None, now: datetime) -> list[str]:
    """Unsubscribe an address from one newsletter or from all; the newsletters it left."""
    with store.write() as connection:
        return readers.leave(connection, key_of(email), newsletter, now)


# ---------------------------------------------------------------------------------------------------- CSV


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
    ignored_columns: list[str] = field(default_factory=list)
    rejected: list[dict[str, Any]] = field(default_factory=list)
    """`{"line": 7, "reason": "…"}` for each row that could not be read."""


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    wish: Wish


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
    seen: set[str] = set()
    with _opened(file) as stream:
        lines_left = _lines(stream, report)
        while lines := list(islice(lines_left, BATCH)):
            fresh = list(_first_of_each(lines, seen, report))
            _import_batch(store, newsletter, fresh, consent, token, now, report)
    return report


def _opened(file: Path) -> IO[str]:
    try:
        return file.open(encoding="utf-8-sig", errors="surrogateescape", newline="")
    except OSError as error:
        raise InputError(
            str(file), error.strerror or type(error).__name__, "name a readable CSV file"
        ) from error


def _lines(stream: IO[str], report: ReadersReport) -> Iterator[_Line]:
    """The readers of a CSV file, those that cannot be read put into the report."""
    csv.field_size_limit(LONGEST_FIELD)
    rows = _rows(stream, report)
    columns = _columns(next(rows, (1, []))[1], report)
    for number, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        try:
            yield _Line(number, wish_of(*(_cell(row, columns.get(name)) for name in COLUMNS)))
        except ValueError as error:
            report.rejected.append({"line": number, "reason": str(error)})


def _rows(stream: IO[str], report: ReadersReport) -> Iterator[tuple[int, list[str]]]:
    """Each row with the line it begins on; a broken one is reported and the next is read."""
    first = stream.readline()
    stream.seek(0)
    reader = csv.reader(stream, delimiter=_delimiter(first), strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            report.rejected.append({"line": line, "reason": f"not CSV: {error}"})
            continue
        yield line, row


def _delimiter(header: str) -> str:
    """Spreadsheets in much of Europe write semicolons."""
    return max(",;\t", key=header.count)


def _columns(header: list[str], report: ReadersReport) -> dict[str, int]:
    """Which column is which; InputError where none is the address."""
    names = [cell.strip().casefold() for cell in header]
    columns = {
        column: names.index(spelling)
        for column, spellings in COLUMNS.items()
        for spelling in reversed(spellings)
        if spelling in names
    }
    if "email" not in columns:
        mend = "give the file a header row: email,name,language"
        raise InputError(f"{report.file}:1", "no column is called email", mend)
    report.ignored_columns = [
        header[number] for number in range(len(header)) if number not in columns.values()
    ]
    return columns


def _cell(row: list[str], column: int | None) -> str:
    cell = row[column] if column is not None and column < len(row) else ""
    if not cell.isascii() and any("\udc80" <= character <= "\udcff" for character in cell):
        raise ValueError("not UTF-8: save the file as UTF-8")
    return cell[1:] if cell[:1] == "'" and cell[1:2] in _FORMULA else cell


def _first_of_each(lines: Iterable[_Line], seen: set[str], report: ReadersReport) -> Iterator[_Line]:
    for line in lines:
        if line.wish.key in seen:
            report.duplicates += 1
        else:
            seen.add(line.wish.key)
            yield line


def _import_batch(
    store: Store,
    newsletter: str,
    lines: list[_Line],
    consent: Consent,
    token: Callable[[], str],
    now: datetime,
    report: ReadersReport,
) -> None:
    with store.read() if report.dry_run else store.write() as connection:
        stands = readers.standings(connection, newsletter, [line.wish.key for line in lines])
        pairs = [(line.wish, stands[line.wish.key]) for line in lines]
        for _, standing in pairs:
            _count(report, standing, consent)
        if not report.dry_run:
            _enter(connection, newsletter, pairs, consent, token, now)


def _count(report: ReadersReport, standing: Standing, consent: Consent) -> None:
    if standing.suppressed or standing.consent is Consent.UNSUBSCRIBED:
        report.kept_out += 1
    elif not next_consent(standing, consent):
        report.unchanged += 1
    elif standing.consent is None:
        report.added += 1
    else:
        report.changed += 1


def export_csv(store: Store, stream: IO[str], newsletter: str | None = None) -> None:
    """Write every reader with their states; a spreadsheet does not take a name for a formula."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["email", "name", "language", "newsletter", "state", "suppressed"])
    with store.read() as connection:
        for one in readers.every(connection, newsletter):
            for name, state in one.subscriptions.items():
                if newsletter in {None, name}:
                    cells = (one.email, one.name, one.language, name, state, one.suppressed or "")
                    writer.writerow([_harmless(cell) for cell in cells])


def _harmless(cell: str) -> str:
    """A cell that no spreadsheet runs; `_cell` takes the quote off again."""
    return f"'{cell}" if cell[:1] in _FORMULA else cell
