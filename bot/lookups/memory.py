"""What was answered lately, in a file, so that the same question is not asked every day."""

import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bot.checks import Answer, Fault, Step

_FORM = 1
_KEPT_THERE = timedelta(days=7)
_KEPT_GONE = timedelta(days=1)
_KEPT_UNSURE = timedelta(hours=1)
_LARGEST = 50_000_000
"""Bytes of a file that is taken for ours."""


class Memory:
    """Answers by what was asked, each for as long as it may be believed.

    A file that cannot be read or written is no fault of the links: then nothing is remembered.
    """

    def __init__(self, path: Path | None, now: datetime) -> None:
        self._path, self._now = path, now
        self._known = dict(self._read())

    def recall(self, url: str, *, whole: bool) -> Answer | None:
        """What was answered, if that was not too long ago and says enough."""
        document = self._known.get(url)
        if document is None:
            return None
        answer = _answer(document)
        fresh = answer and _at(document) <= self._now < _at(document) + _kept(answer)
        enough = answer and (not whole or answer.digest or not answer.there)
        return answer if fresh and enough else None

    def learn(self, url: str, answer: Answer) -> None:
        """Remember an answer; what was not asked by a rule of ours may be asked under another one."""
        if answer.fault in (Fault.PORT, Fault.PRIVATE):
            return
        self._known[url] = {"at": self._now.isoformat(), **_document(answer)}

    def save(self) -> None:
        """Write what is still to be believed, in one step."""
        if self._path is None:
            return
        kept = {url: one for url, one in self._known.items() if self.recall(url, whole=False)}
        text = json.dumps({"form": _FORM, "answers": kept}, ensure_ascii=False, indent=0)
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).replace(self._path)

    def _read(self) -> Mapping[str, Any]:
        try:
            if self._path is None or self._path.stat().st_size > _LARGEST:
                return {}
            document = json.loads(self._path.read_text("utf-8"))
            known = document["answers"] if document["form"] == _FORM else {}
            return {url: one for url, one in known.items() if _answer(one)}
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return {}


def _kept(answer: Answer) -> timedelta:
    if answer.there:
        return _KEPT_THERE
    return _KEPT_GONE if answer.status in (404, 410) else _KEPT_UNSURE


def _document(answer: Answer) -> dict[str, Any]:
    return {
        "status": answer.status,
        "steps": [[step.status, step.url] for step in answer.steps],
        "fault": answer.fault.name if answer.fault else None,
        "digest": answer.digest,
    }


def _at(document: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(document["at"])


def _answer(document: Mapping[str, Any]) -> Answer | None:
    """The answer of a document; None for one that is none."""
    try:
        if _at(document).tzinfo is None:
            return None
        steps = tuple(Step(int(status), str(url)) for status, url in document["steps"])
        fault = Fault[document["fault"]] if document["fault"] else None
        status, digest = document["status"], document["digest"]
    except (ValueError, TypeError, KeyError):
        return None
    fits = isinstance(status, int | None) and isinstance(digest, str | None)
    return Answer(status, steps, fault, digest) if fits else None
