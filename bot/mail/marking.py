"""Marks an issue's mail as a test: its head says so, and all else stays as readers would get it."""

import json
from dataclasses import replace

from bot.headers import field
from bot.models import Rendered

SUBJECT = "[Test] "
HEADER = "X-Broadsheet-Test"


def titled_as_test(rendered: Rendered) -> Rendered:
    """The issue under a subject that says what it is; not a word of the letter itself is another."""
    return replace(rendered, subject=f"{SUBJECT}{rendered.subject}")


def headed_as_test(payload: bytes) -> bytes:
    """What `freeze_mail` wrote, with a field by which programs can tell tests from issues."""
    document = json.loads(payload)
    return json.dumps({**document, "head": document["head"] + field(HEADER, ["yes"])}).encode()
