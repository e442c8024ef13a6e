"""What SMTP replies mean: the table, row by row, in the words that servers really use."""

import pytest
from hypothesis import given, strategies as st

from bot.errors import (
    BroadsheetError,
    DeliveryError,
    InDoubtError,
    PermanentError,
    StopRunError,
    TransientError,
)
from bot.transports._replies import Phase, PolicyError, cleaned, enhanced_code, meaning

AWAY, LATER, NEVER, POLICY, STOP = "away", "later", "never", "policy", "stop"


def kind(error: BroadsheetError) -> str:
    match error:
        case StopRunError():
            return STOP
        case PolicyError():
            return POLICY
        case PermanentError():
            return NEVER
        case TransientError():
            return LATER if error.charged else AWAY
    return type(error).__name__


# One group for each line of what is known about replies, in the order of a conversation.
TABLE = [
    # banner: closing, or no service for us
    (Phase.BANNER, 421, "4.3.2 Service not available, closing transmission channel", AWAY),
    (Phase.BANNER, 421, "4.7.0 Too many connections from your address", AWAY),
    (Phase.BANNER, 450, "try later", AWAY),
    (Phase.BANNER, 554, "5.7.1 No SMTP service here", STOP),
    (Phase.BANNER, 521, "Server does not accept mail", STOP),
    # EHLO, once HELO was tried
    (Phase.EHLO, 421, "4.3.2 too busy", AWAY),
    (Phase.EHLO, 502, "5.5.1 Command not implemented", STOP),
    (Phase.EHLO, 550, "5.7.1 your name is not good enough", STOP),
    # STARTTLS
    (Phase.STARTTLS, 454, "4.7.0 TLS not available due to local problem", AWAY),
    (Phase.STARTTLS, 501, "5.5.2 Syntax error", STOP),
    # AUTH: for now, or for good
    (Phase.AUTH, 421, "4.7.0 Too many failed log-ins, closing", AWAY),
    (Phase.AUTH, 454, "4.7.0 Temporary authentication failure", AWAY),
    (Phase.AUTH, 530, "5.7.0 Must issue a STARTTLS command first", STOP),
    (Phase.AUTH, 534, "5.7.9 Authentication mechanism is too weak", STOP),
    (Phase.AUTH, 535, "5.7.8 Authentication credentials invalid", STOP),
    (Phase.AUTH, 538, "5.7.11 Encryption required", STOP),
    # MAIL: for now
    (Phase.MAIL, 421, "4.4.2 relay.example.org Error: timeout exceeded", AWAY),
    (Phase.MAIL, 450, "4.7.1 Client host rejected: cannot find your hostname", AWAY),
    (Phase.MAIL, 451, "4.3.0 Temporary lookup failure", AWAY),
    (Phase.MAIL, 452, "4.3.1 Insufficient system storage", AWAY),
    # MAIL: the sender is refused
    (Phase.MAIL, 530, "5.7.0 Must issue a STARTTLS command first", STOP),
    (Phase.MAIL, 550, "5.1.8 Sender address rejected", STOP),
    (Phase.MAIL, 553, "5.7.1 Sender not allowed", STOP),
    (Phase.MAIL, 554, "5.7.1 Access denied", STOP),
    # MAIL: too large
    (Phase.MAIL, 552, "5.3.4 Message size exceeds fixed limit", STOP),
    (Phase.MAIL, 523, "too big", STOP),
    # RCPT: later, greylisting among it
    (Phase.RCPT, 450, "4.2.0 <a@b.org>: Recipient address rejected: Greylisted", LATER),
    (Phase.RCPT, 450, "4.2.1 The user you are trying to contact is receiving mail too quickly", LATER),
    (Phase.RCPT, 451, "4.7.1 Greylisting in action, please come back later", LATER),
    (Phase.RCPT, 451, "Requested action aborted: local error in processing", LATER),
    # RCPT: too many, in whatever code (RFC 5321 §4.5.3.1.10)
    (Phase.RCPT, 452, "4.5.3 Too many recipients", LATER),
    (Phase.RCPT, 552, "Too many recipients", LATER),
    (Phase.RCPT, 552, "5.5.3 Too many recipients", LATER),
    # RCPT: the server is closing
    (Phase.RCPT, 421, "4.7.0 [TSS04] Messages temporarily deferred", AWAY),
    # RCPT: no such mailbox
    (Phase.RCPT, 550, "5.1.0 Address rejected", NEVER),
    (Phase.RCPT, 550, "5.1.0 something about the address", NEVER),
    (Phase.RCPT, 550, "5.1.1 <a@b.org>: Recipient address rejected: User unknown", NEVER),
    (Phase.RCPT, 550, "5.1.1 <a@b.org>: User unknown in relay recipient table", NEVER),
    (Phase.RCPT, 550, "<a@b.org>: User unknown in relay recipient table", NEVER),
    (Phase.RCPT, 550, "5.1.2 bad destination system", NEVER),
    (Phase.RCPT, 553, "5.1.3 bad syntax", NEVER),
    (Phase.RCPT, 550, "5.1.4 ambiguous", NEVER),
    (Phase.RCPT, 550, "5.1.5 address not valid", NEVER),
    (Phase.RCPT, 551, "5.1.6 moved", NEVER),
    (Phase.RCPT, 550, "5.1.10 Recipient not found", NEVER),
    (Phase.RCPT, 550, "5.2.1 The mailbox is disabled", NEVER),
    (Phase.RCPT, 556, "5.1.10 Domain does not accept mail", NEVER),
    (Phase.RCPT, 556, "Domain does not accept mail", NEVER),
    (Phase.RCPT, 551, "User not local", NEVER),
    # RCPT: the mailbox is full
    (Phase.RCPT, 552, "5.2.2 Mailbox full", NEVER),
    (Phase.RCPT, 452, "4.2.2 Mailbox full", LATER),
    # RCPT: 550 without an enhanced code: what do the words name?
    (Phase.RCPT, 550, "No such user here", NEVER),
    (Phase.RCPT, 550, "Requested action not taken: mailbox unavailable", NEVER),
    (Phase.RCPT, 550, "Blocked", POLICY),
    (Phase.RCPT, 554, "5.7.1 Service unavailable; Client host [192.0.2.1] blocked", POLICY),
    # RCPT: unroutable, a loop, a domain that is none
    (Phase.RCPT, 550, "5.4.4 Unable to route: no mail hosts for domain", NEVER),
    (Phase.RCPT, 554, "5.4.14 Hop count exceeded - possible mail loop", NEVER),
    (Phase.RCPT, 550, "5.1.2 Domain not found", NEVER),
    # RCPT: a policy of theirs
    (Phase.RCPT, 550, "5.7.1 Our system has detected that this message is likely unsolicited", POLICY),
    (Phase.RCPT, 550, "5.7.515 Access denied, sending domain does not meet the required level", POLICY),
    (Phase.RCPT, 451, "4.7.500 Server busy, try again later", LATER),
    (Phase.RCPT, 550, "5.7.133 Sender not authenticated for group", NEVER),
    # RCPT: policy that is against us as a whole; Postfix waits for RCPT to say it (smtpd_delay_reject)
    (Phase.RCPT, 530, "5.7.0 Authentication required", STOP),
    (Phase.RCPT, 554, "5.7.1 <a@b.org>: Relay access denied", STOP),
    (Phase.RCPT, 550, "relay not permitted", STOP),
    (Phase.RCPT, 550, "5.7.1 Unable to relay", STOP),
    (Phase.RCPT, 550, "5.7.54 SMTP; Unable to relay recipient in non-accepted domain", STOP),
    (Phase.RCPT, 503, "5.5.1 Error: need MAIL command", STOP),
    (Phase.RCPT, 550, "5.1.0 <p@x.org>: Sender address rejected: User unknown in local table", STOP),
    (Phase.RCPT, 550, "5.1.8 <p@x.org>: Sender address rejected: Domain not found", STOP),
    (Phase.RCPT, 553, "5.7.1 <p@x.org>: Sender address rejected: not owned by user bot", STOP),
    (Phase.RCPT, 504, "5.5.2 <bot>: Helo command rejected: need fully-qualified hostname", STOP),
    # an address in UTF-8 that somebody behind does not take
    (Phase.RCPT, 553, "5.6.7 Address needs SMTPUTF8", NEVER),
    (Phase.RCPT, 550, "5.6.7 SMTPUTF8 is required, but was not offered by host", NEVER),
    (Phase.MAIL, 550, "5.6.7 non-ASCII addresses not permitted", NEVER),
    (Phase.DOT, 550, "5.6.7 non-ASCII addresses not permitted", NEVER),
    # DATA, before the mail
    (Phase.DATA, 421, "4.3.2 shutting down", AWAY),
    (Phase.DATA, 451, "4.3.0 Queue file write error", LATER),
    (Phase.DATA, 552, "5.3.4 Message too big", STOP),
    (Phase.DATA, 502, "5.5.1 Command not implemented", STOP),
    (Phase.DATA, 554, "5.7.1 Rejected by policy", POLICY),
    # DATA: no valid recipients, though it said yes to the one there is
    (Phase.DATA, 503, "5.5.1 Error: no valid recipients", POLICY),
    (Phase.DATA, 554, "5.5.1 No valid recipients", POLICY),
    (Phase.DATA, 503, "5.5.1 Error: need RCPT command", STOP),
    # after the dot: later
    (Phase.DOT, 421, "4.3.2 shutting down", AWAY),
    (Phase.DOT, 450, "4.2.0 mailbox busy", LATER),
    (Phase.DOT, 451, "4.3.0 Queue file write error", LATER),
    (Phase.DOT, 452, "4.3.1 Insufficient system storage", LATER),
    (Phase.DOT, 455, "parameters not accommodated", LATER),
    # after the dot: content or policy
    (Phase.DOT, 550, "5.7.1 Message rejected due to content", POLICY),
    (Phase.DOT, 554, "5.6.0 Invalid Subject header", POLICY),
    (Phase.DOT, 550, "5.5.2 Invalid Subject header", POLICY),
    (Phase.DOT, 554, "Transaction failed", POLICY),
    (Phase.DOT, 550, "5.1.1 No such user", NEVER),
    (Phase.DOT, 552, "5.2.2 Mailbox full", NEVER),
    (Phase.DOT, 550, "5.1.8 Sender address rejected: Domain not found", STOP),
    # after the dot: too large
    (Phase.DOT, 552, "5.3.4 Message too big", STOP),
    (Phase.DOT, 552, "Message size exceeds fixed limit", STOP),
    (Phase.DOT, 552, "message exceeds fixed maximum message size", STOP),
    (Phase.DOT, 552, "Quota exceeded", POLICY),
    (Phase.RCPT, 552, "5.3.4 Message size exceeds limit", STOP),
    # what answers to no command of ours, and what is no reply
    (Phase.MAIL, 354, "go ahead", STOP),
    (Phase.RCPT, 250, "not when it is asked here", STOP),
    (Phase.RCPT, -1, "HTTP/1.1 400 Bad Request", STOP),
    (Phase.EHLO, 999, "?", STOP),
    # several lines: the first enhanced code of them gives the reason
    (Phase.RCPT, 550, "permanent failure\n5.1.1 No such user\n5.7.1 at the end", NEVER),
    (Phase.RCPT, 550, "5.7.1 Refused\n5.1.1 and more", POLICY),
    # the basic code decides, whatever class the enhanced one claims, and that one gives the reason
    (Phase.RCPT, 450, "5.1.1 the code decides, not the enhanced one", LATER),
    (Phase.DOT, 451, "5.7.1 not today", LATER),
    (Phase.RCPT, 550, "4.1.1 User unknown, says the code", NEVER),
    (Phase.RCPT, 550, "4.2.1 that one", NEVER),
    (Phase.RCPT, 554, "4.7.1 not yours", POLICY),
    # Gmail's own meanings of x.7.25 to x.7.40: always about us, never about the reader
    *[(phase, 550, f"5.7.{detail} … gsmtp", POLICY)
      for phase in (Phase.RCPT, Phase.DATA, Phase.DOT) for detail in (25, 26, 27, 28, 29, 30, 31, 32, 40)],
    *[(phase, 421, f"4.7.{detail} … gsmtp", AWAY)
      for phase in (Phase.BANNER, Phase.DOT) for detail in (26, 27, 28, 29, 30, 31, 32, 40)],
    (Phase.DOT, 450, "4.7.28 rate limited … gsmtp", LATER),
    # 421 anywhere
    *[(phase, 421, "4.3.2 closing", AWAY) for phase in Phase],
]  # fmt: skip


@pytest.mark.parametrize(("phase", "code", "text", "means"), TABLE)
def test_each_reply_means_one_thing(phase: Phase, code: int, text: str, means: str) -> None:
    assert kind(meaning(phase, code, text)) == means


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("5.1.1 <a@b.org> unknown", "there is no such mailbox"),
        ("4.1.1 <a@b.org> unknown", "there is no such mailbox"),
        ("5.7.27 not this domain", "the sender's domain says that it takes no mail"),
        ("5.7.27 The sender did not pass. - gsmtp", "SPF did not pass"),
        ("5.7.30 see https://support.google.com/mail/answer/81126", "DKIM did not pass"),
        ("5.7.1 by a rule - gsmtp", "refused by a rule of theirs"),
    ],
)
def test_an_enhanced_code_is_put_into_words(text: str, why: str) -> None:
    assert str(meaning(Phase.RCPT, 550, text)).endswith(f"({why})")


@pytest.mark.parametrize("text", ["no code at all", "5.0.0 whatever", "5.7.999 whatever"])
def test_a_code_that_says_nothing_is_left_alone(text: str) -> None:
    assert str(meaning(Phase.RCPT, 550, text)) == f"RCPT TO: 550 {text}"


@given(st.sampled_from(Phase), st.integers(-1, 1000), st.text())
def test_a_reply_never_leaves_a_mail_in_doubt(phase: Phase, code: int, text: str) -> None:
    """Whoever answers has decided; only silence leaves us in doubt."""
    error = meaning(phase, code, text)
    assert isinstance(error, (DeliveryError, StopRunError))
    assert not isinstance(error, InDoubtError)


@given(st.sampled_from(Phase), st.integers(400, 499), st.text())
def test_what_begins_with_4_is_never_for_ever(phase: Phase, code: int, text: str) -> None:
    assert isinstance(meaning(phase, code, text), TransientError)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("5.1.1 no such user", "5.1.1"),
        ("first line\n5.7.1 second line\n5.1.1 third", "5.7.1"),
        ("no code 5.1.1 at the front", ""),
        ("192.0.2.1 is no code", ""),
        ("5.1.1000 is none", ""),
        ("", ""),
    ],
)
def test_the_enhanced_code_is_that_of_the_first_line_that_has_one(text: str, code: str) -> None:
    assert enhanced_code(text) == code


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2.0.0 Ok: queued as 4XyZ", "2.0.0 Ok: queued as 4XyZ"),
        ("5.1.1 <jo@example.org>: unknown", "5.1.1 <…>: unknown"),
        ("5.1.1 jo.doe+x@example.org unknown", "5.1.1 <…> unknown"),
        ("one\ntwo\r\nthree", "one two three"),
        ("bell \x07 and \x1b[31mred", "bell and [31mred"),
        ("\u202eback to front", "back to front"),
    ],
)
def test_a_servers_words_are_shown_without_addresses_and_controls(text: str, shown: str) -> None:
    assert cleaned(text) == shown


@given(
    st.text() | st.lists(st.sampled_from(["a@b.org", "<x@y>", " ", "é", "\n", "@", "w" * 200])).map("".join)
)
def test_whatever_a_server_says_becomes_one_short_line(text: str) -> None:
    shown = cleaned(text)
    assert len(shown) <= 300
    assert shown.isprintable()


@pytest.mark.parametrize("before", [280, 290, 298, 900, 985, 995, 999])
def test_no_piece_of_an_address_is_left_where_words_are_cut(before: int) -> None:
    assert "secret" not in cleaned("x" * before + " secret.reader@example.org " + "y" * 2000)


def test_a_flood_of_words_is_cleaned_at_once() -> None:
    """200 KB without a blank and with one @ took a pattern without bounds minutes."""
    assert cleaned("a" * 200_000 + "@") == ""


@given(st.emails(), st.text(" abc:;,()[]'\"", max_size=9), st.text(" abc:;,()[]'\"", max_size=9))
def test_no_address_is_repeated(email: str, before: str, after: str) -> None:
    assert email not in cleaned(f"{before} <{email}> {after}")
    assert email not in str(meaning(Phase.RCPT, 550, f"5.1.1 {before} {email} {after}"))
