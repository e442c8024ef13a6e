"""The configuration: what is taken, and what is said of every fault."""

import subprocess
import sys
from collections.abc import Mapping
from datetime import time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, strategies as st

import bot
import bot.transports
from bot import plugins
from bot.errors import InputError
from bot.settings import Curator, Drafts, Moment, Newsletter, Schedule, Settings, load
from bot.settings.reading import overlaid

ROOT = Path(bot.__file__).parents[1]
BOT = """\
database = "sqlite:///var/broadsheet.db"
base_url = "https://letters.example.org/"

[transport]
kind = "smtp"
host = "127.0.0.1"
port = 2525
security = "none"
connections = 10
"""
PAPERS = """\
title = "AI Papers of the Week"
sender = "AI Papers <papers@example.org>"
list_id = "ai-papers.example.org"
postal_address = "1 Example Street"

[schedule]
day = "fri"
at = "09:00"
zone = "Europe/Berlin"
cut_off = "fri 08:00"

[channels.readers]
kind = "email"

[channels.my-team]
kind = "slack"
conversation = "C0123456789"
"""
WITHOUT_CHANNELS, WITHOUT_SCHEDULE = PAPERS.partition("[channels")[0], PAPERS.partition("[schedule")[0]


class Installation:
    """A folder with a configuration, and the environment of the process that reads it."""

    def __init__(self, root: Path) -> None:
        self.root, self.environment = root, dict[str, str]()
        self.config = root / "config" / "bot.toml"
        self.papers = root / "config" / "newsletters" / "ai-papers.toml"
        self.papers.parent.mkdir(parents=True)
        self.config.write_text(BOT, "utf-8")
        self.papers.write_text(PAPERS, "utf-8")

    def change(self, file: Path, old: str, new: str) -> None:
        text = file.read_text("utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), "utf-8")

    def load(self) -> Settings:
        return load(self.config, self.environment)

    def newsletter(self) -> Newsletter:
        return self.load().newsletters["ai-papers"]

    def faults(self) -> list[str]:
        with pytest.raises(InputError) as caught:
            self.load()
        assert str(caught.value) == str(caught.value.findings[0])
        return [str(finding) for finding in caught.value.findings]


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(tmp_path)


def option(options: plugins.Options, name: str) -> object:
    return getattr(options, name)


# ------------------------------------------------------------------------------------------ what is taken


def test_a_configuration_is_read_into_typed_settings(installation: Installation) -> None:
    settings, papers = installation.load(), installation.newsletter()
    assert settings.root == installation.root
    assert settings.url == "https://letters.example.org"
    assert option(settings.transport, "port") == 2525
    assert papers.name == "ai-papers"
    assert papers.schedule == Schedule(
        day="fri",
        at=time(9),
        zone=ZoneInfo("Europe/Berlin"),
        cut_off=Moment(4, time(8)),
        late_limit=timedelta(hours=6),
    )
    assert {name: channel.kind for name, channel in papers.channels.items()} == {
        "readers": "email",
        "my-team": "slack",
    }


def test_curators_are_known_by_their_tables_or_by_a_list_of_their_ids(installation: Installation) -> None:
    installation.change(
        installation.papers,
        "[schedule]",
        """[curators.ann]
name = "Ann"
email = "ann@example.org"
slack = "U0123456789"

[curators.bo]
email = "bo@example.org"

[drafts]
lead = "6h"
conversation = "C0987654321"

[schedule]""",
    )
    letter = installation.newsletter()
    assert [letter.known_as(key) for key in letter.curators] == ["Ann", "bo"]
    assert letter.curators["ann"] == Curator(name="Ann", email="ann@example.org", slack="U0123456789")
    assert letter.drafts == Drafts(lead=timedelta(hours=6), conversation="C0987654321")
    short = PAPERS.replace("[schedule]", 'curators = ["U0123456789", "W0000000001"]\n\n[schedule]', 1)
    installation.papers.write_text(short, "utf-8")
    assert installation.newsletter().curators == {
        "u0123456789": Curator(slack="U0123456789"),
        "w0000000001": Curator(slack="W0000000001"),
    }


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('[curators.ann]\nname = "Ann"', "curators.ann: has neither email nor slack nor password_hash"),
        ('[curators.ann]\nmail = "ann@example.org"', "curators.ann.mail: no such key: did you mean 'email'?"),
        ('[curators.ann]\nemail = "Ann <ann@example.org>"',
         "curators.ann.email: is not an address such as ann@example.org"),
        ('[curators.ann]\npassword_hash = "secret"',
         "curators.ann.password_hash: is not what `broadsheet curators password` prints"),
        ('[drafts]\nled = "1d"', "drafts.led: no such key: did you mean 'lead'?"),
        ('[drafts]\nconversation = "#drafts"',
         "drafts.conversation: '#drafts' is not a conversation's ID such as C0123456789"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_curators_is_told_by_its_key(
    installation: Installation, table: str, says: str
) -> None:
    installation.change(installation.papers, "[schedule]", f"{table}\n\n[schedule]")
    assert installation.faults()[0] == f"config/newsletters/ai-papers.toml: {says}"


def test_a_file_with_a_mark_at_its_front_and_dos_lines_reads_the_same(installation: Installation) -> None:
    before = installation.load()
    installation.papers.write_bytes(b"\xef\xbb\xbf" + PAPERS.replace("\n", "\r\n").encode())
    assert installation.load() == before


def test_an_empty_configuration_is_the_demo_without_newsletters(installation: Installation) -> None:
    installation.config.write_text("", "utf-8")
    installation.papers.unlink()
    settings = installation.load()
    assert (settings.transport.kind, settings.newsletters) == ("maildir", {})


@pytest.mark.parametrize("at", ['"09:30"', "09:30:00"])
def test_a_time_may_stand_in_quotes_or_not(installation: Installation, at: str) -> None:
    installation.change(installation.papers, 'at = "09:00"', f"at = {at}")
    assert installation.newsletter().schedule.at == time(9, 30)


@pytest.mark.parametrize(
    "sender",
    [
        "papers@example.org",
        "AI Papers <papers@example.org>",
        '\\"Papers, weekly\\" <papers@example.org>',
        "Briefe für alle <briefe@example.org>",
        "Papers <papers@münchen.example.org>",
        "O'Neill & Sons <a.b+c@mail.example.co>",
    ],
)
def test_a_sender_is_a_mailbox(installation: Installation, sender: str) -> None:
    installation.change(installation.papers, "AI Papers <papers@example.org>", sender)
    assert installation.newsletter().sender == sender.replace("\\", "")


# ------------------------------------------------------------------------------------------ the environment


@pytest.mark.parametrize(
    ("variable", "text", "key", "value"),
    [
        ("BROADSHEET_TRANSPORT__PORT", "25", "port", 25),
        ("BROADSHEET_TRANSPORT__HOST", "relay.example.org", "host", "relay.example.org"),
        ("BROADSHEET_TRANSPORT__HOST", "123", "host", "123"),
        ("BROADSHEET_TRANSPORT__HOST", "null", "host", "null"),
        ("BROADSHEET_TRANSPORT__HOST", "", "host", "127.0.0.1"),
    ],
)
def test_the_environment_overrides_a_file_and_is_taken_as_text(
    installation: Installation, variable: str, text: str, key: str, value: object
) -> None:
    installation.environment[variable] = text
    transport = installation.load().transport
    assert option(transport, key) == value
    assert option(transport, "connections") == 10


def test_the_environment_reaches_into_a_newsletter_whose_names_have_hyphens(
    installation: Installation,
) -> None:
    installation.environment |= {
        "BROADSHEET_NEWSLETTERS__AI_PAPERS__SCHEDULE__ZONE": "UTC",
        "BROADSHEET_NEWSLETTERS__AI_PAPERS__CHANNELS__MY_TEAM__CONVERSATION": "C9",
    }
    papers = installation.newsletter()
    assert papers.schedule.zone == ZoneInfo("UTC")
    assert option(papers.channels["my-team"], "conversation") == "C9"
    assert papers.title == "AI Papers of the Week"


def test_another_kind_in_the_environment_replaces_the_table_of_the_file(installation: Installation) -> None:
    installation.environment |= {
        "BROADSHEET_TRANSPORT__KIND": "maildir",
        "BROADSHEET_TRANSPORT__PATH": "mails",
    }
    transport = installation.load().transport
    assert (transport.kind, option(transport, "path")) == ("maildir", Path("mails"))


def test_a_variable_alone_configures_the_transport_that_is_the_default(installation: Installation) -> None:
    installation.config.write_text("", "utf-8")
    installation.environment["BROADSHEET_TRANSPORT__PATH"] = "mails"
    assert option(installation.load().transport, "path") == Path("mails")


def test_variables_of_other_programs_and_the_place_of_the_configuration_are_left_alone(
    installation: Installation,
) -> None:
    installation.environment |= {
        "PATH": "/bin",
        "BROADSHEET_CONFIG": "config/bot.toml",
        "BROADSHEETS": "1",
    }
    installation.load()


# ------------------------------------------------------------------------------------------ faults


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('kind = "smtp"', 'kind = "smtpp"', "transport.kind: 'smtpp' is none of maildir, smtp"),
        ('kind = "smtp"\n', "", "transport.kind: missing: it is one of maildir, smtp"),
        ("port = 2525", "prot = 2525", "transport.prot: no such key: did you mean 'port'?"),
        ("port = 2525", 'port = "smtp"', "transport.port: should be a valid integer"),
        ("port = 2525", "port = 70000", "transport.port: should be less than or equal to 65535"),
        ('security = "none"', 'security = "ssl"', "transport.security: should be 'none', "),
        ("database", "databse", "databse: no such key: did you mean 'database'?"),
        ("database", "_env_file", "_env_file: no such key"),
        ("database", "root", "root: no such key"),
        ("https://letters.example.org/", "letters.example.org", "base_url: should be a valid URL"),
        ("example.org/", "example.org/?a=1", "base_url: is not an address that others begin with"),
        ("[transport]", "[web]\nlisten = '8000'\n[transport]", "web.listen: '8000' is not a host and a port"),
        ("[transport]", "[web]\nlisten = 'h:99999'\n[transport]", "web.listen: 'h:99999' is not a host"),
        ("[transport]", "[web]\nlistn = 'h:1'\n[transport]", "web.listn: no such key: did you mean"),
        ("[transport]", "[newsletters.x]\n[transport]", "newsletters: no such key"),
        ("[transport]", "slack_token = 'xoxb-secret'\n[transport]",
         "slack_token: a secret does not belong into this file: set BROADSHEET_SLACK_TOKEN"),
        ("port = 2525", "password = 'hunter2'",
         "transport.password: a secret does not belong into this file: set BROADSHEET_SMTP_PASSWORD"),
        ("port = 2525", "port = 2525\n[[transport.fallback]]\nhost = 'b'\npassword = 'hunter2'",
         "transport.fallback.0.password: a secret does not belong into this file: name a file with"),
        ("port = 2525", "port = 2525\n[[transport.fallback]]\nport = 25",
         "transport.fallback.0.host: missing"),
        ("port = 2525", "port = 2525\n[[transport.fallback]]\nhost = 'b'\nprot = 25",
         "transport.fallback.0.prot: no such key: did you mean 'port'?"),
        ("port = 2525", "port = 2525\n[[transport.fallback]]\nhost = 'b'\nuser = 'u'",
         "transport.fallback.0: user and password_file go together"),
        ("port = 2525", "messages_per_second = 0", "transport.messages_per_second: should be greater than 0"),
    ],
)  # fmt: skip
def test_a_fault_in_the_installation_names_its_key_and_the_way_out(
    installation: Installation, old: str, new: str, fault: str
) -> None:
    installation.change(installation.config, old, new)
    faults = installation.faults()
    assert len(faults) == 1
    assert faults[0].startswith(f"config/bot.toml: {fault}")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('title = "AI Papers of the Week"', "", "title: missing: add it"),
        ("AI Papers of the Week", "  ", "title: is empty"),
        ("AI Papers of the Week", "x" * 151, "title: should have at most 150 characters"),
        ("AI Papers of the Week", "a\\nBcc: x@example.org", "title: has a line break or a control character"),
        ("AI Papers of the Week", "=?utf-8?q?x?=", "title: looks like an encoded word"),
        ("AI Papers of the Week", "a\\u202eb", "title: has a line break or a control character"),
        ('title = "AI Papers of the Week"', "title = 7", "title: should be a valid string"),
        ("AI Papers <papers@example.org>", "AI Papers", "sender: is not a mailbox such as"),
        ("AI Papers <papers@example.org>", "a@example.org, b@example.org", "sender: is not a mailbox"),
        ("AI Papers <papers@example.org>", "<a@example.org", "sender: is not a mailbox"),
        ("AI Papers <papers@example.org>", "a..b@example.org", "sender: is not a mailbox"),
        ("AI Papers <papers@example.org>", "pä@example.org", "sender: is not a mailbox"),
        ("AI Papers <papers@example.org>", f"{'x' * 65}@example.org", "sender: its address has a part"),
        ('"ai-papers.example.org"', '"ai papers"', "list_id: 'ai papers' is not a name such as"),
        ("title =", "theme = 'Plain'\ntitle =", "theme: 'Plain' is not a name of small letters"),
        ("title =", "language = 'english'\ntitle =", "language: 'english' is not a language tag"),
        ("title =", "greeting = 'Hi {nmae}'\ntitle =", "greeting: {nmae} means nothing"),
        ("title =", "name = 'x'\ntitle =", "name: no such key: a newsletter is named by its file"),
        ("1 Example Street", "\\u0000", "postal_address: has a line break or a control character"),
        ("Europe/Berlin", "Europe/Berln",
         "schedule.zone: no time zone 'Europe/Berln'; did you mean 'Europe/Berlin'?"),
        ("Europe/Berlin", "../../etc/passwd", "schedule.zone: no time zone '../../etc/passwd'"),
        ("Europe/Berlin", "Europe", "schedule.zone: no time zone 'Europe'"),
        ("Europe/Berlin", "", "schedule.zone: no time zone ''"),
        ("Europe/Berlin", "localtime", "schedule.zone: 'localtime' is not a time zone"),
        ("Europe/Berlin", "right/UTC", "schedule.zone: 'right/UTC' is not a time zone"),
        ('zone = "Europe/Berlin"', "zone = 1", "schedule.zone: 1 is not a time zone"),
        ('day = "fri"', 'day = "friday"', "schedule.day: should be 'mon', 'tue'"),
        ('at = "09:00"', 'at = "9:00"', "schedule.at: '9:00' is not a time such as 09:00"),
        ('at = "09:00"', 'at = "24:00"', "schedule.at: '24:00' is not a time such as 09:00"),
        ('at = "09:00"', "at = 900", "schedule.at: '900' is not a time such as 09:00"),
        ('at = "09:00"', "aat = 900", "schedule.at: missing: add it"),
        ("fri 08:00", "08:00", "schedule.cut_off: '08:00' is not a day and a time such as 'fri 08:00'"),
        ("fri 08:00", "fri 8", "schedule.cut_off: '8' is not a time such as 09:00"),
        ("[schedule]", "[schedule]\nlate_limit = '6 h'", "schedule.late_limit: '6 h' is not a duration"),
        ("[schedule]", "[schedule]\nlate_limt = '6h'", "schedule.late_limt: no such key: did you"),
        ("[schedule]", "[schedule]\napproval = 'always'", "schedule.approval: should be 'required', "),
        ('kind = "slack"', 'kind = "slak"',
         "channels.my-team.kind: 'slak' is none of email, slack, slack-webhook; did you mean 'slack'?"),
        ('kind = "slack"', "kind = 1", "channels.my-team.kind: '1' is none of email, slack, slack-webhook"),
        ("conversation", "conversatoin", "channels.my-team.conversation: missing"),
        ('kind = "slack"', 'kind = "slack"\ntoken = "xoxb-secret"',
         "channels.my-team.token: a secret does not belong into this file: set BROADSHEET_SLACK_TOKEN"),
        ("[channels.my-team]", "[channels.'My Team']", "channels.My Team: 'My Team' is not a name of"),
    ],
)  # fmt: skip
def test_a_fault_in_a_newsletter_names_its_file_its_key_and_the_way_out(
    installation: Installation, old: str, new: str, fault: str
) -> None:
    installation.change(installation.papers, old, new)
    assert any(
        found.startswith(f"config/newsletters/ai-papers.toml: {fault}") for found in installation.faults()
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (WITHOUT_CHANNELS, "channels: missing: add it"),
        (WITHOUT_CHANNELS + "[channels]\n", "channels: is empty"),
        ("channels = 'all'\n" + WITHOUT_CHANNELS, "channels: is not a table"),
        (WITHOUT_CHANNELS + "[channels]\nreaders = 'email'\n",
         "channels.readers: is not a table with a `kind`, which is one of email, slack"),
        ("schedule = 'fri'\n" + WITHOUT_SCHEDULE, "schedule: is not a table"),
    ],
)  # fmt: skip
def test_a_table_of_the_wrong_shape_is_named(installation: Installation, text: str, fault: str) -> None:
    installation.papers.write_text(text, "utf-8")
    assert any(fault in found for found in installation.faults())


def test_a_newsletters_file_has_a_name_that_can_stand_in_addresses(installation: Installation) -> None:
    installation.papers.rename(installation.papers.with_name("AI Papers.toml"))
    assert any("AI Papers.toml: 'AI Papers' is not a name of" in fault for fault in installation.faults())


@pytest.mark.parametrize(
    ("variable", "text", "fault"),
    [
        ("BROADSHEET_DATABSE", "x", "BROADSHEET_DATABSE: no such setting: did you mean 'database'?"),
        ("BROADSHEET_ROOT", "/", "BROADSHEET_ROOT: no such setting"),
        ("BROADSHEET_TRANSPORT__PROT", "1", "BROADSHEET_TRANSPORT__PROT: no such key: did you mean 'port'?"),
        ("BROADSHEET_TRANSPORT__PORT", "x", "BROADSHEET_TRANSPORT__PORT: should be a valid integer"),
        ("BROADSHEET_TRANSPORT__KIND", "smpt", "BROADSHEET_TRANSPORT__KIND: 'smpt' is none of maildir, smtp"),
        ("BROADSHEET_TRANSPORT", "smtp", "BROADSHEET_TRANSPORT: is not a table"),
        ("BROADSHEET_BASE_URL", "x", "BROADSHEET_BASE_URL: should be a valid URL"),
        ("BROADSHEET_NEWSLETTERS", "x", "BROADSHEET_NEWSLETTERS: no such newsletter"),
        ("BROADSHEET_NEWSLETTERS__AI_PAPRES__TITLE", "x",
         "BROADSHEET_NEWSLETTERS__AI_PAPRES__TITLE: no such newsletter: did you mean 'ai_papers'?"),
        ("BROADSHEET_NEWSLETTERS__AI_PAPERS__SCHEDULE__ZONE", "Berlin",
         "BROADSHEET_NEWSLETTERS__AI_PAPERS__SCHEDULE__ZONE: no time zone 'Berlin'"),
        ("BROADSHEET_NEWSLETTERS__AI_PAPERS__CHANNELS__MY_TEAM__LAYOUT", "tree",
         "BROADSHEET_NEWSLETTERS__AI_PAPERS__CHANNELS__MY_TEAM__LAYOUT: should be 'thread'"),
    ],
)  # fmt: skip
def test_a_fault_in_the_environment_names_its_variable(
    installation: Installation, variable: str, text: str, fault: str
) -> None:
    installation.environment[variable] = text
    faults = installation.faults()
    assert len(faults) == 1
    assert faults[0].startswith(fault)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"[transport\n", "config/bot.toml:1: "),
        (b"\n\nkind = smtp\n", "config/bot.toml:3: "),
        (b"a = 1\na = 2\n", "config/bot.toml:2: "),
        (b"database = '\xff'", "config/bot.toml: invalid UTF-8 at byte 12"),
        (b"database = '\x00'", "config/bot.toml:1: "),
        (b"a = " + b"[" * 5000, "config/bot.toml: RecursionError"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_toml_is_named_with_its_line(
    installation: Installation, data: bytes, fault: str
) -> None:
    installation.config.write_bytes(data)
    assert any(found.startswith(fault) for found in installation.faults())


def test_a_missing_file_says_how_to_be_found(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"bot\.toml: no such file: run from the newsletter's folder, or"):
        load(tmp_path / "config" / "bot.toml", {})


def test_every_fault_is_found_at_once(installation: Installation) -> None:
    """One bad file never hides the others."""
    (installation.papers.parent / "broken.toml").write_text("title = AI", "utf-8")
    installation.change(installation.papers, "Europe/Berlin", "Berlin")
    installation.change(installation.papers, 'kind = "slack"', 'kind = "slak"')
    installation.change(installation.config, "port", "prot")
    installation.environment["BROADSHEET_DATABSE"] = "x"
    places = sorted(fault.split(": ")[0] for fault in installation.faults())
    assert places == [
        "BROADSHEET_DATABSE",
        "config/bot.toml",
        "config/newsletters/ai-papers.toml",
        "config/newsletters/ai-papers.toml",
        "config/newsletters/broken.toml:1",
    ]


# ------------------------------------------------------------------------------------------ secrets


SECRET = "xoxb-1234-hush"


def test_a_secret_comes_from_the_environment_before_the_file(installation: Installation) -> None:
    (installation.root / "token").write_text("from the file\n", "utf-8")
    installation.change(installation.config, "[transport]", 'slack_token_file = "token"\n[transport]')
    token = installation.load().secret("slack_token")
    assert token
    assert token.get_secret_value() == "from the file"
    installation.environment["BROADSHEET_SLACK_TOKEN"] = SECRET
    token = installation.load().secret("slack_token")
    assert token
    assert token.get_secret_value() == SECRET


def test_no_secret_is_no_secret(installation: Installation) -> None:
    installation.environment["BROADSHEET_SMTP_PASSWORD"] = ""
    assert installation.load().secret("smtp_password") is None


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (None, "No such file"),
        (b"", "does not hold one line"),
        (b"one\ntwo", "does not hold one line"),
        (b"\xff", "is not text"),
    ],
)
def test_a_secret_file_that_holds_no_secret_is_a_fault(
    installation: Installation, data: bytes | None, fault: str
) -> None:
    if data is not None:
        (installation.root / "token").write_bytes(data)
    installation.environment["BROADSHEET_SLACK_TOKEN_FILE"] = "token"
    with pytest.raises(InputError, match=rf"slack_token_file: token: {fault}"):
        installation.load().secret("slack_token")


def test_secrets_are_never_shown(installation: Installation) -> None:
    installation.environment |= {
        "BROADSHEET_SLACK_TOKEN": SECRET,
        "BROADSHEET_SMTP_PASSWORD": SECRET,
        "BROADSHEET_DATABASE": f"postgresql+psycopg://bot:{SECRET}@db/letters",
    }
    settings = installation.load()
    assert SECRET not in repr(settings) + str(settings)


@pytest.mark.parametrize(
    "variable",
    [
        "BROADSHEET_SLACK_TOKN",
        "BROADSHEET_TRANSPORT__PASSWORD",
        "BROADSHEET_TRANSPORT__PORT",
        "BROADSHEET_WEB",
    ],
)
def test_a_secret_in_the_wrong_place_is_not_shown_either(installation: Installation, variable: str) -> None:
    installation.environment[variable] = SECRET
    with pytest.raises(InputError) as caught:
        installation.load()
    assert SECRET not in "".join(map(str, caught.value.findings)) + repr(caught.value) + str(
        caught.value.__cause__
    )


def test_a_secret_in_a_file_is_not_shown_either(installation: Installation) -> None:
    installation.change(installation.config, "port = 2525", f"port = '{SECRET}'\npassword = '{SECRET}'")
    assert SECRET not in "".join(installation.faults())


# ------------------------------------------------------------------------------------------ plug-ins


def test_a_new_kind_is_one_file_in_one_folder(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kinds").mkdir()
    (tmp_path / "kinds" / "pigeon.py").write_text(
        "from bot import plugins\n\n\nclass Options(plugins.Options):\n    lofts: int = 1\n", "utf-8"
    )
    monkeypatch.setattr(bot.transports, "__path__", [*bot.transports.__path__, str(tmp_path / "kinds")])
    installation.config.write_text('[transport]\nkind = "pigeon"\nlofts = 3\n', "utf-8")
    try:
        assert option(installation.load().transport, "lofts") == 3
    finally:
        sys.modules.pop("bot.transports.pigeon", None)


@pytest.mark.parametrize("kind", ["_replies", "__init__", "../smtp", "smtp.py", "", "os"])
def test_only_a_file_of_the_folder_is_a_kind(kind: str) -> None:
    with pytest.raises(ValueError, match="is none of maildir, smtp"):
        plugins.find("transports", kind)


# ------------------------------------------------------------------------------------------ as laws


names = st.text("ab-_", min_size=1, max_size=3)
tables = st.recursive(
    st.integers() | st.text(max_size=2), lambda inner: st.dictionaries(names, inner, max_size=3), max_leaves=8
).filter(lambda value: isinstance(value, Mapping))


@given(tables)
def test_nothing_laid_over_a_table_leaves_it_as_it_is(table: dict[str, object]) -> None:
    assert overlaid(table, {}) == table


@given(st.binary(max_size=200))
def test_no_file_whatever_makes_reading_fail_but_by_saying_so(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    root = tmp_path_factory.mktemp("any")
    installation = Installation(root)
    installation.papers.write_bytes(data)
    with pytest.raises(InputError):
        installation.load()


def test_reading_the_configuration_imports_nothing_heavy() -> None:
    """Each command pays for it: no SQL, no mail, no Slack, no address book of the world's time zones."""
    heavy = {"sqlalchemy", "slack_sdk", "premailer", "lxml", "jinja2", "apscheduler", "email_validator"}
    code = "import sys; from pathlib import Path; from bot.settings import load; load(Path(sys.argv[1]), {})"
    command = [sys.executable, "-c", f"{code}; print(*sys.modules)", "config/bot.toml"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert not heavy & set(done.stdout.split())


# ------------------------------------------------------------------------------------- lines and signatures


@pytest.mark.parametrize(
    "title",
    [
        "می\u200cبینم",
        "\U0001f469\u200d\U0001f4bb Weekly",
        "A\u00a0B",
        "\u200fAI",
        "\U0001f3f4\U000e0067\U000e007f",
    ],
)
def test_a_title_keeps_what_joins_letters_and_emoji(installation: Installation, title: str) -> None:
    installation.change(installation.papers, "AI Papers of the Week", title)
    assert installation.newsletter().title == title


@pytest.mark.parametrize("character", ["\\u0000", "\\n", "\\t", "\\u0085", "\\u2028", "\\u2029", "\\u202e"])
def test_a_title_that_would_break_a_header_is_refused(installation: Installation, character: str) -> None:
    installation.change(installation.papers, "AI Papers of", f"AI{character}Papers of")
    said = "config/newsletters/ai-papers.toml: title: has a line break or a control character"
    assert installation.faults() == [said]


@pytest.mark.parametrize("sign", [",", ";", "(", "'"])
def test_an_address_that_list_headers_cannot_carry_is_refused(installation: Installation, sign: str) -> None:
    installation.change(installation.config, "example.org/", f"example.org/a{sign}b/")
    assert installation.faults() == [
        "config/bot.toml: base_url: has signs that mail headers cannot carry, or over 500 characters"
    ]


SIGNED = '[dkim]\ndomain = "{}"\n[[dkim.keys]]\nselector = "s2048"\nfile = "secrets/dkim-rsa.pem"\n'


@pytest.mark.parametrize("domain", ["example.org", "EXAMPLE.org", "mail.example.org"])
def test_a_domain_that_signs_is_the_senders(installation: Installation, domain: str) -> None:
    installation.config.write_text(BOT + SIGNED.format(domain), "utf-8")
    dkim = installation.load().dkim
    assert dkim is not None
    assert (dkim.domain, dkim.keys[0].selector, dkim.keys[0].file) == (
        domain,
        "s2048",
        Path("secrets/dkim-rsa.pem"),
    )


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (SIGNED.format("example.com"), "dkim.domain: 'example.com' is not aligned with the sender of ai"),
        (SIGNED.format("ample.org"), "dkim.domain: 'ample.org' is not aligned with the sender of ai"),
        ('[dkim]\ndomain = "example.org"\n', "dkim.keys: missing: add it"),
        ('[dkim]\ndomain = "example.org"\nkeys = []\n', "dkim.keys: is empty"),
        (SIGNED.format("example.org").replace("file", "path"), "dkim.keys.0.file: missing: add it"),
        (SIGNED.format("example.org").replace("s2048", "s 1"), "dkim.keys.0.selector: 's 1' is not a name"),
    ],
)  # fmt: skip
def test_a_fault_in_what_signs_names_its_key(installation: Installation, table: str, said: str) -> None:
    installation.config.write_text(BOT + table, "utf-8")
    assert any(fault.startswith(f"config/bot.toml: {said}") for fault in installation.faults())
