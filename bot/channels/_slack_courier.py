"""Carries the parts of an issue to one conversation: each is there once, whatever becomes of an answer.

post ─ yes ──────────────▶ receipt
     ─ limited ──────────▶ wait as long as Slack says, post
     ─ too long ─────────▶ two halves, each posted like this
     ─ image not found ──▶ once more, without images
     ─ no answer ────────▶ read the conversation back: it is there, or it is posted once more
"""

import re
import time
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from bot.channels import Wait, sought
from bot.channels._slack_client import asked, written
from bot.channels._slack_errors import ImagesError, LimitedError, TooLongError
from bot.channels._slack_gone import no_more
from bot.channels._slack_pieces import halves, key_of, note, split, without_images
from bot.channels._slack_reading import Place, Reading, Standing, complete
from bot.errors import BroadsheetError, InDoubtError, PermanentError, TransientError
from bot.models import Delivery, Receipt
from bot.policy import LOOKS, Doubt

if TYPE_CHECKING:
    from slack_sdk import WebClient

Json: TypeAlias = dict[str, Any]
_T = TypeVar("_T")

PACE = 1.0
"""Seconds between two posts to one conversation: what comes faster Slack may refuse, or not show."""
PATIENCE = 60.0
"""Seconds to wait in all, where Slack says how long; where it wants more, the delivery goes back."""
UNNAMED_WAIT = 5.0
"""Seconds to wait where it does not say."""
SHORTEST_WAIT = 1.0
"""What a wait counts for at least, so that none of no length is named for ever."""
LONGEST_TEXT = 4000
"""Characters of `text` that chat.update takes; more it refuses."""
TS = re.compile(r"\d+\.\d+")
"""The name of a message in its conversation: never a number, which would lose digits."""


class PostingCourier:
    """Posts parts one by one."""

    def __init__(
        self, messages: list[Json], slack: "WebClient", *, in_thread: bool, no_more: str = no_more("en")
    ) -> None:
        self._slack, self._messages, self._in_thread = slack, messages, in_thread
        self.no_more = no_more
        """What is said in the place of what a correction left out."""
        self.pace = Pace()
        self._reading = Reading(
            lambda method, **how: self.pace.patiently(lambda: asked(slack, method, **how))
        )

    def ready(self, wait: Wait) -> bool:
        return self.pace.kept(wait)

    def deliver(self, delivery: Delivery, now: datetime) -> Receipt:
        posting = _Posting(self, self.place(delivery), delivery.published_at or now)
        return receipt(posting.conversation, posting.posted(self._message(delivery)))

    def look(self, delivery: Delivery) -> Receipt | None:
        """Where a part stands already; None where it, or a half of it, does not; InDoubtError: unreadable."""
        place, message = self.place(delivery), self._message(delivery)
        found = complete(message, self.standing(place, delivery.published_at))
        return receipt(place.conversation, found) if found else None

    def correct(self, delivery: Delivery, standing: Receipt) -> Receipt:
        """Put a part as it is now in the place of what stands there; the same again does no harm."""
        conversation, every = stands_at(standing)
        if not every:
            raise PermanentError("nobody noted where it stands: correct it by hand")
        posting = _Posting(self, self.place(delivery), delivery.published_at)
        message, count = self._message(delivery), len(every)
        while True:
            pieces = split(message, count)
            try:
                return receipt(conversation, posting.corrected(pieces, conversation, every))
            except TooLongError:
                if len(pieces) < count:
                    raise
                count += 1

    def close(self) -> None:
        """Nothing stays open between posts."""

    # ------------------------------------------------------------------------------------ where, and what is

    def _message(self, delivery: Delivery) -> Json:
        """What a part says; of one that a correction left out, that it is no more."""
        if delivery.part <= len(self._messages):
            return self._messages[delivery.part - 1]
        return note(self._messages[-1], self.no_more, delivery.part)

    def place(self, delivery: Delivery) -> Place:
        """Where a part goes: below the first, unless only a person knows that the first was posted."""
        conversation, every = stands_at(delivery.root) if delivery.root else ("", [])
        conversation = conversation or str(self._message(delivery)["channel"])
        in_thread = self._in_thread and delivery.part > 1 and every
        return Place(conversation, every[0] if in_thread else None)

    def below(self, place: Place, ts: str) -> Place:
        """Where the second half of what stands in `place` as `ts` goes."""
        return Place(place.conversation, place.thread or ts) if self._in_thread else place

    def update(self, conversation: str, ts: str, message: Json) -> None:
        """Put a message in the place of another: its words never without its blocks, or these would go."""
        said = {key: message[key] for key in ("blocks", "metadata")}
        arguments = {"channel": conversation, "ts": ts, "text": message["text"][:LONGEST_TEXT], **said}
        self.pace.kept()
        try:
            self.pace.patiently(lambda: written(self._slack, "chat.update", arguments))
        except InDoubtError:
            if not self.pace.wait(LOOKS[0]):
                raise
            self.pace.patiently(lambda: written(self._slack, "chat.update", arguments))

    def standing(self, place: Place, since: datetime | None) -> Standing:
        """Our messages in a place, and in the threads of their first halves; InDoubtError: unreadable."""
        try:
            found = self._reading.standing(place, since)
            roots = [ts for key, ts in found.items() if key.endswith(".1") and self._in_thread]
            for ts in () if place.thread else roots:
                found |= self._reading.standing(Place(place.conversation, ts), since)
        except BroadsheetError as error:
            raise InDoubtError(f"the conversation cannot be read back ({error})") from error
        return found

    # ----------------------------------------------------------------------------------------------- calling

    def post(self, message: Json, place: Place) -> tuple[str, str]:
        """The conversation and `ts` of a new message."""
        thread = {"thread_ts": place.thread} if place.thread else {}
        arguments = {**message, **thread}
        answer = self.pace.patiently(lambda: written(self._slack, "chat.postMessage", arguments))
        conversation, ts = answer.get("channel"), answer.get("ts")
        if not (isinstance(conversation, str) and conversation and isinstance(ts, str) and TS.fullmatch(ts)):
            raise InDoubtError("Slack said yes, but not where: look, then `broadsheet resolve`")
        return conversation, ts


class Pace:
    """How fast a conversation takes posts, and the waits that follow from it."""

    def __init__(self) -> None:
        self._last = time.monotonic() - PACE
        self.wait: Wait = lambda _seconds: False
        """Lets time pass; until somebody says how, no run is there to wait in."""

    def kept(self, wait: Wait | None = None) -> bool:
        """Leave Slack its second between two posts; False where the run ends meanwhile."""
        self.wait = wait or self.wait
        left = self._last + PACE - time.monotonic()
        return left <= 0 or self.wait(left)

    def patiently(self, call: Callable[[], _T]) -> _T:
        """Call, and call again after as long as Slack says; nothing was done when it says so."""
        left = PATIENCE
        while True:
            try:
                return call()
            except LimitedError as error:
                named = error.retry_after
                seconds = UNNAMED_WAIT if named is None else named.total_seconds()
                counted = max(seconds, SHORTEST_WAIT)
                if counted > left or not self.wait(seconds):
                    raise
                left -= counted
            finally:
                self._last = time.monotonic()


class _Posting:
    """One delivery on its way: what it comes to, message by message."""

    def __init__(self, courier: PostingCourier, place: Place, began: datetime | None) -> None:
        self._courier, self._place, self._began = courier, place, began
        self._known: Standing | None = None
        self.conversation = place.conversation

    def posted(self, message: Json) -> list[str]:
        """The `ts` of a message, or of the pieces it had to be posted in, in order."""
        return self._posted(message, self._place)

    def corrected(self, pieces: list[Json], conversation: str, every: list[str]) -> list[str]:
        """Put pieces in the place of what stands there, in order; every `ts` of what stands there then.

        What is left over of either says that it is no more, or is posted below.
        """
        for ts, piece in zip(every, pieces, strict=False):
            self._updated(conversation, ts, piece)
        for ts in every[len(pieces) :]:
            self._courier.update(conversation, ts, note(pieces[0], self._courier.no_more))
        more = pieces[len(every) :]
        if more and self._known is None:
            self._known = self._seen(self._place)  # an earlier run may have ended after posting them
        below = self._courier.below(self._place, every[0])
        return [*every, *(ts for piece in more for ts in self._posted(piece, below))]

    def _updated(self, conversation: str, ts: str, piece: Json) -> None:
        try:
            self._courier.update(conversation, ts, piece)
        except ImagesError:
            if not (bare := without_images(piece)):
                raise
            self._courier.update(conversation, ts, bare)

    def _posted(self, message: Json, place: Place) -> list[str]:
        if ts := (self._known or {}).get(key_of(message)):
            return [ts]
        try:
            return [self._settled(message, place)]
        except TooLongError:
            if not (pair := halves(message)):
                raise
        except ImagesError:
            if not (bare := without_images(message)):
                raise
            return self._posted(bare, place)
        return self._in_halves(pair, place)

    def _in_halves(self, pair: tuple[Json, Json], place: Place) -> list[str]:
        """Post both, unless one stands already: an earlier run may have ended between them."""
        if self._known is None:
            self._known = self._seen(place)
        first = self._posted(pair[0], place)
        self._courier.pace.kept()
        try:
            return [*first, *self._posted(pair[1], self._courier.below(place, first[0]))]
        except (PermanentError, TransientError) as error:
            what = f"one half stands there, of the other: {error}"
            if isinstance(error, TransientError):
                raise TransientError(what, retry_after=error.retry_after, charged=error.charged) from error
            raise PermanentError(what) from error

    def _seen(self, place: Place) -> Standing:
        try:
            return self._courier.standing(place, self._began)
        except InDoubtError:
            return {}

    def _settled(self, message: Json, place: Place) -> str:
        """The `ts` of a message once it is sure that it stands: posted, found, or posted again and once."""
        again = False
        while True:
            try:
                self.conversation, ts = self._courier.post(message, place)
            except InDoubtError as doubt:
                found = self._sought(message, place, doubt, again=again)
            else:
                return ts
            if found:
                return found
            again = True

    def _sought(self, message: Json, place: Place, doubt: InDoubtError, *, again: bool) -> str | None:
        """Read back what was posted; None where it is to be posted again."""
        wanted = key_of(message)
        found, verdict = sought(
            lambda: self._courier.standing(place, self._began).get(wanted),
            self._courier.pace.wait, doubt, again=again,
        )  # fmt: skip
        if verdict is Doubt.LATER:
            raise TransientError(f"it is not there, although it was posted twice: {doubt}")
        return found


def stands_at(root: Receipt) -> tuple[str, list[str]]:
    """The conversation and every `ts` that a receipt names; nothing where it is none of Slack's."""
    conversation, _, names = root.reference.rpartition(":")
    every = names.split(",")
    return (conversation, every) if all(TS.fullmatch(ts) for ts in every) else ("", [])


def receipt(conversation: str, every: list[str]) -> Receipt:
    """What a part's delivery gives back: `C1:1.2`, or `C1:1.2,1.3` where it stands there in two."""
    return Receipt(f"{conversation}:{','.join(every)}")
