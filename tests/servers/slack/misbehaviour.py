"""What can go wrong with a call, each as a function of the `Call` it happens to.

`…_after_storing`: the message is there, and the bot is not told so. `…_unheard`: nothing was done.
"""

import json
import socket
import struct

from tests.servers.slack import messages, rules
from tests.servers.slack.wire import Call, Fault, obey


def close_after_storing(call: Call) -> None:
    """The connection ends without a word."""
    call.done()


def close_unheard(call: Call) -> None:
    """The connection ends without a word, and nothing was done."""


def reset_after_storing(call: Call) -> None:
    """The connection is torn down."""
    call.done()
    reset_unheard(call)


def reset_unheard(call: Call) -> None:
    """The connection is torn down, and nothing was done."""
    linger = struct.pack("ii", 1, 0)
    call.handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    call.handler.connection.close()


def hang_after_storing(call: Call) -> None:
    """Nothing is said until the test lets go."""
    call.done()
    hang_unheard(call)


def hang_unheard(call: Call) -> None:
    """Nothing is said until the test lets go, and nothing was done."""
    call.server.released.wait(30)


def truncate_after_storing(call: Call) -> None:
    """Half of the answer, and then the end."""
    body = json.dumps(call.done()).encode()
    call.say_bytes(body[: len(body) // 2], "application/json", length=len(body))


def internal_error_after_storing(call: Call) -> None:
    """Slack says that something went wrong, and that part may have succeeded."""
    call.done()
    call.say({"ok": False, "error": "internal_error"})


def internal_error_unheard(call: Call) -> None:
    """Slack says that something went wrong, and nothing was done."""
    call.say({"ok": False, "error": "internal_error"})


def ok_without_ts(call: Call) -> None:
    """A yes that does not say where."""
    answer = call.done()
    call.say({key: value for key, value in answer.items() if key != "ts"})


def page_instead_of_json(call: Call) -> None:
    """A 200 whose body is a proxy's page; the message is there."""
    call.done()
    call.say_bytes(b"<html>Please log in</html>", "text/html")


def list_instead_of_object(call: Call) -> None:
    """A 200 with JSON that is no answer; the message is there."""
    call.done()
    call.say_bytes(b"[1, 2]", "application/json")


def foreign_charset(call: Call) -> None:
    """An answer in a charset that does not exist; the message is there."""
    call.say_bytes(json.dumps(call.done()).encode(), "application/json; charset=x-klingon")


def bad_gateway(call: Call) -> None:
    """A 502 with a page; nothing was done."""
    call.say_bytes(b"<html><h1>502 Bad Gateway</h1></html>", "text/html", 502)


def bad_gateway_after_storing(call: Call) -> None:
    """A 502 with a page."""
    call.done()
    bad_gateway(call)


def not_found(call: Call) -> None:
    """What another web server says."""
    call.say_bytes(b"<html>404</html>", "text/html", 404)


def rate_limited(retry_after: str | None) -> Fault:
    """A 429, with the Retry-After that is given."""

    def fault(call: Call) -> None:
        headers = {} if retry_after is None else {"Retry-After": retry_after}
        call.say({"ok": False, "error": "ratelimited"}, 429, headers)

    return fault


def rate_limited_at_the_edge(call: Call) -> None:
    """A 429 from before Slack, without JSON (slackapi/python-slack-sdk#1693)."""
    call.say_bytes(b"too many", "text/plain", 429, {"Retry-After": "7", "x-envoy-ratelimited": "true"})


def refuse(code: str, **more: object) -> Fault:
    """A no, with one of Slack's words."""
    return lambda call: call.answer({"ok": False, "error": code, **more})


def image_fails(call: Call) -> None:
    """Slack cannot fetch an image: the whole message is refused, if one stands as a block of its own."""
    blocks = call.arguments.get("blocks", [])
    if not messages.image_blocks(blocks):
        obey(call)
        return
    found = [messages.image_fault(at) for at, block in enumerate(blocks) if block.get("type") == "image"]
    refuse("invalid_blocks", errors=found, response_metadata={"messages": found})(call)


def too_long_over(characters: int) -> Fault:
    """Slack finds blocks too long that are longer than this, serialised."""

    def fault(call: Call) -> None:
        longer = rules.serialised(call.arguments.get("blocks", [])) > characters
        (refuse("msg_blocks_too_long") if longer else obey)(call)

    return fault
