"""What the doctor makes of the DNS: SPF, DKIM, DMARC and MX, record by record and by a real server."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TypeAlias

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given, strategies as st

from bot.dkim import Key
from bot.doctor import Sign, State, _dkim, _dmarc, _mx, _publishing, _records, _spf, _spf_terms
from bot.doctor._records import MOST, PATIENCE, RECORDS, Answer, Ask, Lookups, Outcome, Record, failed, found
from bot.doctor._tags import TagsError, tags
from bot.errors import InputError
from tests.servers.dns import DnsServer, Trouble, Zones

DOMAIN = "example.org"


Known: TypeAlias = dict[tuple[str, str], Answer | Sequence[str]]


def asking(zones: Known) -> Ask:
    """A DNS that knows these answers, and that there is nothing else."""

    def ask(name: str, kind: str) -> Answer:
        answer = zones.get((name, kind), Answer(Outcome.ABSENT))
        return answer if isinstance(answer, Answer) else found(*answer)

    return ask


# ------------------------------------------------------------------------------------------------- SPF: terms


@pytest.mark.parametrize(
    ("word", "is_read_as"),
    [
        ("all", ("all", "", "+", None)),
        ("-ALL", ("all", "", "-", None)),
        ("include:_spf.example.com", ("include", "_spf.example.com", "+", None)),
        ("?include:_spf.example.com", ("include", "_spf.example.com", "?", None)),
        ("a", ("a", "", "+", None)),
        ("a/24", ("a", "", "+", 24)),
        ("a//64", ("a", "", "+", None)),
        ("a:mail.example.com/24//64", ("a", "mail.example.com", "+", 24)),
        ("mx:example.com.", ("mx", "example.com.", "+", None)),
        ("~mx", ("mx", "", "~", None)),
        ("ptr", ("ptr", "", "+", None)),
        ("ip4:192.0.2.1", ("ip4", "192.0.2.1/32", "+", 32)),
        ("ip4:192.0.2.77/24", ("ip4", "192.0.2.0/24", "+", 24)),
        ("ip6:2001:db8::1", ("ip6", "2001:db8::1/128", "+", None)),
        ("ip6:2001:db8::/32", ("ip6", "2001:db8::/32", "+", None)),
        ("exists:%{i}._spf.%{d2}", ("exists", "%{i}._spf.%{d2}", "+", None)),
        ("exists:%{ir}.sbl.example.org", ("exists", "%{ir}.sbl.example.org", "+", None)),
        ("redirect=_spf.example.com", ("redirect=", "_spf.example.com", "+", None)),
        ("exp=why.%{d}", ("exp=", "why.%{d}", "+", None)),
        ("unknown-one=what/ever", ("unknown-one=", "what/ever", "+", None)),
    ],
)
def test_a_term_of_spf_is_read(word: str, is_read_as: tuple[str, str, str, int | None]) -> None:
    found_terms, faults = _spf_terms.terms(f"v=spf1 {word}")
    assert [(term.name, term.value, term.qualifier, term.length) for term in found_terms] == [is_read_as]
    assert faults == ()


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("all:example.org", "takes nothing"),
        ("all/24", "takes nothing"),
        ("include", "names no domain"),
        ("include:", "names no domain"),
        ("include:localhost", "names no domain"),
        ("include:example.org/24", "takes no length"),
        ("include:192.0.2.1", "ip4:192.0.2.1 is meant"),
        ("a:192.0.2.1", "ip4:192.0.2.1 is meant"),
        ("a:", "names no domain"),
        ("a/33", "length"),
        ("a/024", "length"),
        ("mx//129", "length"),
        ("192.0.2.1", "ip4:192.0.2.1 is meant"),
        ("ipv4:192.0.2.1", "ip4: is meant"),
        ("ip4:192.0.2", "no IPv4"),
        ("ip4:192.0.2.1/", "no length after its slash"),
        ("ip4:192.0.2.0/33", "no IPv4"),
        ("ip4:2001:db8::1", "no IPv4"),
        ("ip4", "no IPv4"),
        ("ip6:192.0.2.1", "no IPv6"),
        ("exists:%{x}.example.org", "begins no macro"),
        ("exists:%.example.org", "begins no macro"),
        ("redirect=", "names no domain"),
        ("what=%", "begins no macro"),
        ("+", "is no term"),
        ("-all;", "is no"),
        ("allow", "is no mechanism"),
        ("include:a..example.org", "empty label"),
        ("a:exämple.org", "may not stand"),
        ("include:_spf.example.com,", "names no domain"),
        ("include:example.123", "names no domain"),
    ],
)
def test_what_is_no_term_of_spf_is_named(word: str, says: str) -> None:
    _, (fault,) = _spf_terms.terms(f"v=spf1 {word}")
    assert fault.startswith(f"{word}: ")
    assert says in fault


@pytest.mark.parametrize(
    ("text", "it_is"),
    [
        ("v=spf1", True),
        ("V=SPF1 -all", True),
        ("v=spf1 ", True),
        ("v=spf10 -all", False),
        ("v=spf1-all", False),
        (" v=spf1 -all", False),
        ("spf2.0/pra -all", False),
    ],
)
def test_an_spf_record_is_known_by_its_first_word(text: str, *, it_is: bool) -> None:
    assert _spf_terms.is_spf(text) is it_is


@given(st.text(max_size=200))
def test_any_text_can_be_asked_whether_it_is_a_term(text: str) -> None:
    found_terms, faults = _spf_terms.terms(f"v=spf1 {text}")
    assert len(found_terms) + len(faults) >= len([word for word in text.split(" ") if word])


# -------------------------------------------------------------------------------------------------- SPF: walk


def spf_of(record: str, **others: str) -> _spf.Spf:
    """The walk over one record; `others` are those of one.test, two.test, …"""
    zones: Known = {(f"{name}.test", "TXT"): [text] for name, text in others.items()}
    return _spf.walk(DOMAIN, asking({(DOMAIN, "TXT"): [record], **zones, **HOSTS}))


HOSTS: Known = {
    ("example.org", "A"): ["192.0.2.1"],
    ("example.org", "MX"): ["10 mail.example.org."],
    ("mail.example.org", "A"): ["192.0.2.2"],
    ("six.test", "A"): Answer(Outcome.EMPTY),
    ("six.test", "AAAA"): ["2001:db8::1"],
    ("empty.test", "A"): Answer(Outcome.EMPTY),
    ("many.test", "MX"): [f"10 mx{number}.example.org." for number in range(11)],
    ("late.test", "TXT"): failed("no answer in time"),
}


@pytest.mark.parametrize(
    ("record", "others", "lookups", "voids", "end"),
    [
        ("v=spf1 -all", {}, 0, 0, "-"),
        ("v=spf1 ip4:192.0.2.1 ip6:2001:db8::1 ~all", {}, 0, 0, "~"),
        ("v=spf1 a mx ~all", {}, 2, 0, "~"),
        ("v=spf1  a   ~all ", {}, 1, 0, "~"),
        ("v=spf1 a:six.test ~all", {}, 1, 0, "~"),
        ("v=spf1 include:one.test ~all", {"one": "v=spf1 a:six.test a:six.test -all"}, 3, 0, "~"),
        ("v=spf1 redirect=one.test", {"one": "v=spf1 mx:example.org -all"}, 2, 0, "-"),
        ("v=spf1 redirect=one.test", {"one": "v=spf1 redirect=two.test", "two": "v=spf1 ?all"}, 2, 0, "?"),
        ("v=spf1 redirect=one.test ~all", {"one": "v=spf1 -all"}, 0, 0, "~"),
        ("v=spf1 ~all a mx include:one.test", {}, 0, 0, "~"),
        ("v=spf1 a:gone.test mx:gone.test ~all", {}, 2, 2, "~"),
        ("v=spf1 exists:empty.test -all", {}, 1, 1, "-"),
        ("v=spf1 exists:%{i}.gone.test -all", {}, 1, 0, "-"),
        ("v=spf1 exp=gone.test -all", {}, 0, 0, "-"),
        ("v=spf1 ptr", {}, 1, 0, None),
        ("v=spf1", {}, 0, 0, None),
    ],
)
def test_the_lookups_of_an_spf_record_are_counted(
    record: str, others: dict[str, str], lookups: int, voids: int, end: str | None
) -> None:
    spf = spf_of(record, **others)
    assert (spf.lookups, spf.voids, spf.end) == (lookups, voids, end)
    assert (spf.faults, spf.unasked) == ([], [])


@pytest.mark.parametrize(
    ("record", "others", "says"),
    [
        ("v=spf1 " + "mx " * 11 + "~all", {}, "11 terms ask the DNS, and 10 are allowed"),
        ("v=spf1 include:one.test ~all", {"one": "v=spf1 " + "a:six.test " * 10}, "11 terms"),
        ("v=spf1 a:x.test a:y.test a:z.test ~all", {}, "3 terms find nothing"),
        ("v=spf1 include:gone.test ~all", {}, "include:gone.test: no SPF record there"),
        ("v=spf1 redirect=gone.test", {}, "redirect=gone.test: no SPF record there"),
        ("v=spf1 include:one.test ~all", {"one": "just words"}, "include:one.test: no SPF record there"),
        ("v=spf1 include:one.test ~all", {"one": "v=spf1 ipv4:192.0.2.1"}, "one.test: ipv4:192.0.2.1: is no"),
        ("v=spf1 include:example.org ~all", {}, "leads in a circle"),
        (
            "v=spf1 include:one.test ~all",
            {"one": "v=spf1 include:two.test", "two": "v=spf1 include:one.test"},
            "leads in a circle",
        ),
        ("v=spf1 mx:many.test ~all", {}, "leads to more than 10 mail servers"),
        ("v=spf1 redirect=one.test redirect=one.test", {"one": "v=spf1 -all"}, "redirect= stands twice"),
        ("v=spf1 ipv4:192.0.2.1 ~all", {}, "ipv4:192.0.2.1: is no mechanism"),
    ],
)
def test_what_makes_receivers_give_up_on_spf_is_bad(record: str, others: dict[str, str], says: str) -> None:
    spf = spf_of(record, **others)
    assert any(says in fault for fault in spf.faults)
    (first, *_) = _spf.judged(DOMAIN, spf, "")
    assert first.state is State.BAD
    assert "permerror" in first.message


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ("v=spf1 a +all", "+all lets anybody send"),
        ("v=spf1 a all", "+all lets anybody send"),
        ("v=spf1 a ?all", "?all says nothing"),
        ("v=spf1 a", "no `all` at its end"),
        ("v=spf1 ptr ~all", "ptr is slow"),
        ("v=spf1 ip4:0.0.0.0/0 ~all", "good part of the Internet"),
        ("v=spf1 ~all a mx", "ignored after all: a, mx"),
        ("v=spf1 redirect=one.test ~all", "ignored after all: redirect=one.test"),
        ("v=spf1 include:late.test ~all", "could not be looked up: include:late.test: no answer in time"),
    ],
)
def test_what_is_weak_about_spf_is_warned_of(record: str, says: str) -> None:
    first, *others = _spf.judged(DOMAIN, spf_of(record), "")
    assert first == Sign(State.GOOD, DOMAIN, first.message)
    assert any(says in sign.message for sign in others)
    assert {sign.state for sign in others} == {State.WARNING}


@pytest.mark.parametrize(
    ("record", "publishes"),
    [
        ("v=spf1 a +all", "v=spf1 a ~all"),
        ("v=spf1 a ALL", "v=spf1 a ~all"),
        ("v=spf1 a ?all", "v=spf1 a ~all"),
        ("v=spf1 a:small.test", "v=spf1 a:small.test ~all"),
    ],
)
def test_a_weak_end_is_mended_with_the_whole_record(record: str, publishes: str) -> None:
    fixes = [sign.fix for sign in _spf.judged(DOMAIN, spf_of(record), "") if sign.fix]
    assert fixes == [f'publish: example.org. TXT "{publishes}"']


def test_a_weak_end_that_stands_elsewhere_is_mended_there() -> None:
    _, sign = _spf.judged(DOMAIN, spf_of("v=spf1 redirect=one.test", one="v=spf1 +all"), "")
    assert sign.fix == "change it in the record that redirect= names"


def test_a_fault_beside_a_seam_of_two_strings_is_put_down_to_it() -> None:
    joined = Record("v=spf1 include:one.testinclude:two.test ~all", strings=2)
    spf = _spf.walk(DOMAIN, asking({(DOMAIN, "TXT"): found(joined)}))
    assert any("joined without a blank" in fault for fault in spf.faults)


def test_strings_whose_seam_is_right_are_one_record() -> None:
    spf = _spf.walk(DOMAIN, asking({(DOMAIN, "TXT"): found(Record("v=spf1 ip4:192.0.2.1 ~all", strings=3))}))
    assert spf.faults == []


def test_two_spf_records_are_none_and_become_one() -> None:
    records = ["v=spf1 mx include:a.test ~all", "v=spf1 include:b.test mx -all", "google-site=1"]
    (sign,) = _spf.judged(DOMAIN, _spf.walk(DOMAIN, asking({(DOMAIN, "TXT"): records})), "")
    assert sign.state is State.BAD
    assert "2 SPF records" in sign.message
    assert sign.fix == 'leave one: publish: example.org. TXT "v=spf1 mx include:a.test include:b.test ~all"'


def test_a_record_that_is_nearly_one_is_shown() -> None:
    signs = list(_spf.judged(DOMAIN, _spf.walk(DOMAIN, asking({(DOMAIN, "TXT"): ["v=spf1-all"]})), ""))
    assert [sign.state for sign in signs] == [State.BAD, State.WARNING]
    assert "nearly one: v=spf1-all" in signs[1].message


@pytest.mark.parametrize(
    ("relay", "says"),
    [
        ("", 'TXT "v=spf1 ip4:<this machine\'s public address> ~all"'),
        ("smtp.relay.test", "v=spf1 include:<the name that the relay's documentation gives> ~all"),
        ("smtp.relay.test", '"v=spf1 a:smtp.relay.test ~all"'),
    ],
)
def test_where_there_is_no_spf_the_include_is_not_made_up(relay: str, says: str) -> None:
    (sign,) = _spf.judged(DOMAIN, _spf.walk(DOMAIN, asking({})), relay)
    assert sign.state is State.BAD
    assert says in sign.fix


def test_spf_that_cannot_be_looked_up_is_no_verdict() -> None:
    (sign,) = _spf.judged("late.test", _spf.walk("late.test", asking(HOSTS)), "")
    assert sign == Sign(
        State.WARNING, "late.test", "SPF: could not be looked up: late.test: no answer in time"
    )


def test_a_record_that_leads_everywhere_is_not_followed_for_ever() -> None:
    asked: list[str] = []

    def ask(name: str, kind: str) -> Answer:
        asked.append(name)
        number = len(asked)
        return found("v=spf1 " + " ".join(f"include:n{number}-{one}.test" for one in range(100)))

    spf = _spf.walk(DOMAIN, ask)
    assert len(asked) <= _spf.FAR_ENOUGH + 1
    assert any("more than 50 terms" in fault for fault in spf.faults)


# ------------------------------------------------------------------------------------------------------- DKIM


@pytest.fixture(scope="module")
def rsa() -> Key:
    return Key("s1", generate_private_key(public_exponent=65537, key_size=2048))


@pytest.fixture(scope="module")
def ed25519() -> Key:
    return Key("s2", Ed25519PrivateKey.generate())


NAME = "s1._domainkey.example.org"


def dkim_of(text: str | Answer, key: Key) -> Sign:
    return _dkim.judged(NAME, text if isinstance(text, Answer) else found(text), key)


def material(key: Key) -> str:
    return key.record.partition("p=")[2]


def test_the_key_that_signs_is_good_where_it_is_published(rsa: Key, ed25519: Key) -> None:
    assert dkim_of(rsa.record, rsa).state is State.GOOD
    assert "RSA, 2048 bits" in dkim_of(rsa.record, rsa).message
    assert dkim_of(ed25519.record, ed25519).message.endswith("(Ed25519)")


@pytest.mark.parametrize(
    ("record", "state"),
    [
        ("p={p}", State.GOOD),
        ("k=rsa; p={p}", State.GOOD),
        ("v=DKIM1;k=rsa;p={p};", State.GOOD),
        ("v=DKIM1; h=sha1:sha256; s=email; n=a note; p={p}", State.GOOD),
        ("v=DKIM1; s=*; t=s; p={p}", State.GOOD),
        ("v=DKIM1; t=y:s; p={p}", State.WARNING),
        ("k=rsa; v=DKIM1; p={p}", State.BAD),
        ("v=DKIM2; p={p}", State.BAD),
        ("v=DKIM1; k=ed25519; p={p}", State.BAD),
        ("v=DKIM1; h=sha1; p={p}", State.BAD),
        ("v=DKIM1; s=tlsrpt; p={p}", State.BAD),
        ("v=DKIM1; p=", State.BAD),
        ("v=DKIM1", State.BAD),
        ("v=DKIM1; p={p}; p={p}", State.BAD),
        ("v=DKIM1; k; p={p}", State.BAD),
        ("v=DKIM1; p=AAAA", State.BAD),
        ("v=DKIM1; p=%%%", State.BAD),
        ("", State.BAD),
    ],
)
def test_a_key_record_is_judged_by_its_tags(record: str, state: State, rsa: Key) -> None:
    sign = dkim_of(record.replace("{p}", material(rsa)), rsa)
    assert sign.state is state
    if state is not State.GOOD:
        assert sign.fix.startswith(f'publish: {NAME}. TXT "{rsa.record}"')


@pytest.mark.parametrize(
    ("answer", "state", "says"),
    [
        (Answer(Outcome.ABSENT), State.BAD, "not published"),
        (Answer(Outcome.EMPTY), State.BAD, "not published"),
        (failed("no answer in time"), State.WARNING, "no answer in time"),
        (found("v=DKIM1; p=AAAA", "v=spf1 -all"), State.BAD, "2 TXT records"),
        (found("v=DKIM1; p="), State.BAD, "revoked"),
    ],
)
def test_a_key_that_is_not_found_is_named(answer: Answer, state: State, says: str, rsa: Key) -> None:
    sign = dkim_of(answer, rsa)
    assert sign.state is state
    assert says in sign.message


def test_another_key_than_the_one_that_signs_is_bad(rsa: Key, ed25519: Key) -> None:
    other = Key("s1", generate_private_key(public_exponent=65537, key_size=2048))
    assert "another key's" in dkim_of(other.record, rsa).message
    assert "another key's" in dkim_of(Key("s2", Ed25519PrivateKey.generate()).record, ed25519).message
    assert "k=ed25519" in dkim_of(ed25519.record, rsa).message


def test_a_key_cut_off_by_a_form_is_bad(rsa: Key) -> None:
    assert "cut" in dkim_of(rsa.record[:255], rsa).message


def test_an_rsa_key_may_be_published_bare_and_with_blanks(rsa: Key) -> None:
    """RFC 6376 speaks of RSAPublicKey, everybody publishes SubjectPublicKeyInfo, and both are taken."""
    assert isinstance(rsa.private, RSAPrivateKey)
    bare = rsa.private.public_key().public_bytes(Encoding.DER, PublicFormat.PKCS1)
    assert dkim_of(f"v=DKIM1; p={b64encode(bare).decode()}", rsa).state is State.GOOD
    halves = f"{material(rsa)[:100]} {material(rsa)[100:]}"
    assert dkim_of(f"v=DKIM1; p={halves}", rsa).state is State.GOOD


def test_an_ed25519_key_in_its_usual_wrapping_is_bad(ed25519: Key) -> None:
    wrapped = ed25519.private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    sign = dkim_of(f"v=DKIM1; k=ed25519; p={b64encode(wrapped).decode()}", ed25519)
    assert sign.state is State.BAD
    assert "44 bytes" in sign.message


@given(
    st.dictionaries(
        st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True),
        st.from_regex(r"[!-:<-~]{0,20}", fullmatch=True),
    )
)
def test_tags_come_back_as_they_were_written(written: dict[str, str]) -> None:
    assert tags("; ".join(f"{name}={value}" for name, value in written.items())) == written


@given(st.text(max_size=300))
def test_any_text_is_tags_or_says_why_not(text: str) -> None:
    with suppress(TagsError):
        assert isinstance(tags(text), dict)


# ------------------------------------------------------------------------------------------------------ DMARC


def dmarc_of(domain: str, **records: str | list[str]) -> tuple[_dmarc.Walk, Ask]:
    """The walk from a domain; `records` by the name below `_dmarc.`, its dots written as `__`."""
    zones: Known = {
        (f"_dmarc.{name.replace('__', '.')}", "TXT"): [text] if isinstance(text, str) else text
        for name, text in records.items()
    }
    ask = asking(zones)
    return _dmarc.walk(domain, ask), ask


GOOD_DMARC = "v=DMARC1; p=none; rua=mailto:dmarc@example.org"


@pytest.mark.parametrize(
    ("record", "state", "says"),
    [
        (GOOD_DMARC, State.GOOD, GOOD_DMARC),
        ("v=DMARC1;p=quarantine;rua=mailto:a@example.org!10m", State.GOOD, "p=quarantine"),
        ("v=DMARC1; P=Reject; rua=mailto:a@mail.example.org", State.GOOD, "P=Reject"),
        ("v = DMARC1 ; p = none ; rua=mailto:a@example.org", State.GOOD, "DMARC"),
        ("v=DMARC1; rua=mailto:a@example.org", State.GOOD, "rua"),
        ("v=DMARC1; p=none", State.WARNING, "nobody gets reports"),
        ("v=DMARC1; p=none; rua=dmarc@example.org", State.WARNING, "is no mailto: address"),
        ("v=DMARC1; p=none; rua=mailto:a@elsewhere.test", State.WARNING, "elsewhere.test does not say"),
        ("v=DMARC1; p=maybe", State.BAD, "p=maybe"),
        ("v=DMARC1", State.BAD, "no p="),
        ("v=DMARC1; p", State.BAD, "'p' is no tag"),
        ("v=DMARC2; p=none", State.BAD, "no record"),
        ("v=dmarc1; p=none", State.BAD, "no record"),
        ("p=none; v=DMARC1", State.BAD, "no record"),
        ("v=DMARC1 p=none", State.BAD, "no record"),
    ],
)
def test_a_dmarc_record_is_judged_by_its_tags(record: str, state: State, says: str) -> None:
    walk, ask = dmarc_of("example.org", example__org=record)
    signs = list(_dmarc.judged(walk, ask))
    assert signs[-1].state is state
    assert says in signs[-1].message
    if state is State.BAD:
        assert 'publish: _dmarc.example.org. TXT "v=DMARC1; p=none"' in signs[-1].fix


def test_reports_may_go_where_they_are_welcome() -> None:
    zones: Known = {
        ("_dmarc.example.org", "TXT"): ["v=DMARC1; p=none; rua=mailto:a@reports.test,mailto:b@late.test"],
        ("example.org._report._dmarc.reports.test", "TXT"): ["v=DMARC1"],
        ("example.org._report._dmarc.late.test", "TXT"): failed("no answer in time"),
    }
    ask = asking(zones)
    assert [sign.state for sign in _dmarc.judged(_dmarc.walk("example.org", ask), ask)] == [State.GOOD]


@pytest.mark.parametrize("name", ["example.org", "_dmarc.example.org.example.org"])
def test_a_dmarc_record_under_a_wrong_name_is_found(name: str) -> None:
    ask = asking({(name, "TXT"): [GOOD_DMARC]})
    (sign,) = _dmarc.judged(_dmarc.walk("example.org", ask), ask)
    assert sign.state is State.BAD
    assert f"one stands at {name}" in sign.message


def test_a_key_under_a_name_that_a_form_doubled_is_found(rsa: Key) -> None:
    ask = asking({(f"{NAME}.example.org", "TXT"): [rsa.record]})
    words = _publishing.misplaced(NAME, "example.org", ask, "v=DKIM1")
    assert words.startswith(f"; one stands at {NAME}.example.org")
    assert _publishing.misplaced(NAME, "example.org", asking({}), "v=DKIM1") == ""
    assert dkim_of(Answer(Outcome.ABSENT), rsa).message + words == (
        _dkim.judged(NAME, Answer(Outcome.ABSENT), rsa, words).message
    )


def test_two_dmarc_records_are_none() -> None:
    walk, ask = dmarc_of("example.org", example__org=["v=DMARC1; p=none", "v=DMARC1; p=reject"])
    (sign,) = _dmarc.judged(walk, ask)
    assert (sign.state, sign.fix) == (State.BAD, "leave one")


def test_the_record_of_the_organisation_covers_what_is_below_it() -> None:
    walk, ask = dmarc_of("news.example.org", example__org=GOOD_DMARC)
    (sign,) = _dmarc.judged(walk, ask)
    assert (sign.state, sign.where) == (State.GOOD, "_dmarc.news.example.org")
    assert sign.message.endswith("(of example.org)")


def test_dmarc_that_cannot_be_looked_up_is_no_verdict() -> None:
    ask = asking({("_dmarc.example.org", "TXT"): failed("no answer in time")})
    (sign,) = _dmarc.judged(_dmarc.walk("example.org", ask), ask)
    assert sign.state is State.WARNING


@pytest.mark.parametrize(
    ("domain", "records", "organisation"),
    [
        ("example.org", {}, "example.org"),
        ("news.example.org", {"example__org": GOOD_DMARC}, "example.org"),
        ("news.example.org", {"news__example__org": GOOD_DMARC}, "news.example.org"),
        ("news.example.org", {"news__example__org": GOOD_DMARC, "example__org": GOOD_DMARC}, "example.org"),
        ("a.example.gov", {"gov": "v=DMARC1; p=reject; psd=y"}, "example.gov"),
        ("a.b.org", {"b__org": f"{GOOD_DMARC}; psd=n", "org": GOOD_DMARC}, "b.org"),
        ("example.gov", {"gov": "v=DMARC1; p=reject; psd=y", "example__gov": GOOD_DMARC}, "example.gov"),
    ],
)
def test_the_organisation_of_a_domain_is_found_by_walking_up(
    domain: str, records: dict[str, str], organisation: str
) -> None:
    assert dmarc_of(domain, **records)[0].organisation == organisation


def test_the_walk_up_a_long_name_is_short() -> None:
    asked: list[str] = []

    def ask(name: str, kind: str) -> Answer:
        asked.append(name)
        return Answer(Outcome.ABSENT)

    _dmarc.walk(".".join("abcdefghijklmnopqrstuvwxyz") + ".example.org", ask)
    assert len(asked) == 8
    assert asked[1] == "_dmarc.v.w.x.y.z.example.org"


@pytest.mark.parametrize(
    ("sender", "signer", "mode", "counts"),
    [
        ("example.org", "example.org", "r", True),
        ("example.org", "EXAMPLE.org", "s", True),
        ("news.example.org", "example.org", "r", True),
        ("news.example.org", "mail.example.org", "r", True),
        ("news.example.org", "example.org", "s", False),
        ("news.example.org", "relay.test", "r", False),
    ],
)
def test_a_signer_counts_as_the_sender_by_alignment(
    sender: str, signer: str, mode: str, *, counts: bool
) -> None:
    walk, ask = dmarc_of(sender, example__org=f"v=DMARC1; p=none; adkim={mode}")
    (sign,) = _dmarc.judged_alignment(walk, signer, ask)
    assert sign.state is (State.GOOD if counts else State.WARNING)
    assert ("strict" in sign.message) is (mode == "s")


def test_alignment_is_not_judged_without_a_record_or_a_signer() -> None:
    walk, ask = dmarc_of("example.org")
    assert list(_dmarc.judged_alignment(walk, "example.org", ask)) == []
    walk, ask = dmarc_of("example.org", example__org=GOOD_DMARC)
    assert list(_dmarc.judged_alignment(walk, None, ask)) == []


# --------------------------------------------------------------------------------------------------------- MX


@pytest.mark.parametrize(
    ("zones", "state", "says"),
    [
        ({"MX": ["10 mail.example.org."]}, State.GOOD, "MX: mail.example.org"),
        ({"MX": ["20 six.test.", "10 mail.example.org."]}, State.GOOD, "MX: mail.example.org, six.test"),
        ({"MX": ["0 ."]}, State.BAD, "null MX"),
        ({"MX": ["10 gone.test."]}, State.BAD, "no address for gone.test"),
        ({"MX": ["10 gone.test.", "20 mail.example.org."]}, State.WARNING, "no address for gone.test"),
        ({"A": ["192.0.2.1"]}, State.WARNING, "no record"),
        ({"AAAA": ["2001:db8::1"]}, State.WARNING, "no record"),
        ({}, State.BAD, "nobody takes mail"),
        ({"MX": failed("no answer in time")}, State.WARNING, "no answer in time"),
    ],
)
def test_replies_must_find_a_server(
    zones: dict[str, Sequence[str] | Answer], state: State, says: str
) -> None:
    known: Known = {(f"from.{DOMAIN}", kind): answer for kind, answer in zones.items()}
    sign = _mx.judged(f"from.{DOMAIN}", asking({**HOSTS, **known}))
    assert sign.state is state
    assert says in sign.message


# --------------------------------------------------------------------------------------------- a real server

ZONES: Zones = {
    "example.org": {
        "TXT": ["v=spf1 -all", ("v=two ", "strings"), (b"\x1b[2J\xff\x07",)],
        "MX": ["20 b.example.org.", "10 a.example.org."],
    },
    "long.example.org": {"TXT": ["x" * 3000]},
    "huge.example.org": {"TXT": [f"{number:03}{'y' * 900}" for number in range(60)]},
    "deep.down.example.org": {"A": ["192.0.2.1"]},
    "alias.example.org": {"CNAME": ["example.org."]},
    "servfail.test": Trouble.SERVFAIL,
    "refused.test": Trouble.REFUSED,
    "truncated.test": Trouble.TRUNCATED,
    "hang.test": Trouble.HANG,
    "garbage.test": Trouble.GARBAGE,
    "wrong.test": Trouble.WRONG_ID,
}


@pytest.fixture(scope="module")
def server() -> Iterator[DnsServer]:
    with DnsServer(ZONES) as running:
        yield running


@pytest.fixture
def ask(server: DnsServer) -> Lookups:
    server.asked.clear()
    return Lookups(server.address, timeout=10, lifetime=20)


@pytest.fixture
def hasty(server: DnsServer) -> Lookups:
    """Asks what is never answered."""
    server.asked.clear()
    return Lookups(server.address, timeout=0.1, lifetime=0.2)


@pytest.mark.parametrize(
    ("name", "kind", "outcome"),
    [
        ("example.org", "TXT", Outcome.FOUND),
        ("EXAMPLE.org.", "MX", Outcome.FOUND),
        ("alias.example.org", "CNAME", Outcome.FOUND),
        ("example.org", "AAAA", Outcome.EMPTY),
        ("down.example.org", "A", Outcome.EMPTY),
        ("gone.example.org", "A", Outcome.ABSENT),
        ("servfail.test", "TXT", Outcome.FAILED),
        ("refused.test", "TXT", Outcome.FAILED),
        ("truncated.test", "TXT", Outcome.FAILED),
        ("hang.test", "TXT", Outcome.FAILED),
        ("garbage.test", "TXT", Outcome.FAILED),
        ("wrong.test", "TXT", Outcome.FAILED),
        ("a..b", "TXT", Outcome.FAILED),
        ("x" * 64 + ".test", "TXT", Outcome.FAILED),
        ("bücher.test", "TXT", Outcome.ABSENT),
    ],
)
def test_every_answer_of_a_server_has_an_outcome(
    name: str, kind: str, outcome: Outcome, ask: Lookups, hasty: Lookups
) -> None:
    answer = (hasty if outcome is Outcome.FAILED else ask)(name, kind)
    assert answer.outcome is outcome
    assert bool(answer.records) is (outcome is Outcome.FOUND)
    assert bool(answer.why) is (outcome is Outcome.FAILED)


def test_strings_are_joined_without_a_blank_and_records_are_in_order(ask: Lookups) -> None:
    assert Record("v=two strings", 2) in ask("example.org", "TXT").records
    assert ask("example.org", "MX").texts == ("10 a.example.org.", "20 b.example.org.")


def test_an_answer_that_is_too_long_for_udp_comes_by_tcp(ask: Lookups, server: DnsServer) -> None:
    assert ask("long.example.org", "TXT").texts == ("x" * 3000,)
    assert [by for by, *_ in server.asked] == ["udp", "tcp"]


def test_of_a_huge_answer_some_records_are_looked_at(ask: Lookups) -> None:
    assert len(ask("huge.example.org", "TXT").records) == RECORDS


def test_a_question_is_asked_once(ask: Lookups, server: DnsServer) -> None:
    assert ask("example.org", "MX") is ask("Example.org.", "MX")
    assert server.questions("example.org", "MX") == 1


def test_servers_that_never_answer_are_asked_a_few_times_and_no_more(
    hasty: Lookups, server: DnsServer
) -> None:
    answers = [
        hasty(f"{number}.example.org" if number > PATIENCE else "hang.test", f"TYPE{number + 100}")
        for number in range(20)
    ]
    assert {answer.outcome for answer in answers} == {Outcome.FAILED}
    assert len({(name, kind) for _, name, kind in server.asked}) == PATIENCE


def test_only_so_many_questions_are_asked(ask: Lookups, server: DnsServer) -> None:
    answers = [ask(f"{number}.example.org", "A") for number in range(MOST + 20)]
    assert [answer.outcome for answer in answers[-20:]] == [Outcome.FAILED] * 20
    assert len(server.asked) == MOST


@pytest.mark.parametrize(
    ("nameserver", "address"),
    [
        ("192.0.2.1", ("192.0.2.1", 53)),
        ("192.0.2.1:5353", ("192.0.2.1", 5353)),
        ("2001:db8::1", ("2001:db8::1", 53)),
        ("[2001:db8::1]", ("2001:db8::1", 53)),
        ("[2001:db8::1]:5353", ("2001:db8::1", 5353)),
    ],
)
def test_a_name_server_is_an_address_and_perhaps_a_port(nameserver: str, address: tuple[str, int]) -> None:
    assert _records._address(nameserver) == address


@pytest.mark.parametrize(
    "nameserver", ["", "dns.test", "192.0.2", "192.0.2.1:", "192.0.2.1:x", "192.0.2.1:99999"]
)
def test_what_is_no_name_server_is_refused(nameserver: str) -> None:
    with pytest.raises(InputError, match="--nameserver"):
        _records._address(nameserver)
