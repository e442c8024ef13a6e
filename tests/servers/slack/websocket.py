"""The server's half of RFC 6455, as little of it as Slack uses: whole text messages, pings and closing."""

import base64
import hashlib
import struct
from dataclasses import dataclass
from enum import IntEnum
from io import BufferedIOBase

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
LONGEST = 1 << 20
"""Bytes of a frame; Slack's clients send far less."""


class Op(IntEnum):
    """What a frame is."""

    MORE = 0
    TEXT = 1
    BINARY = 2
    CLOSE = 8
    PING = 9
    PONG = 10


class ProtocolError(Exception):
    """A client did what RFC 6455 forbids."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame, its mask taken off."""

    op: Op
    payload: bytes = b""


def accept(key: str) -> str:
    """What a server says to a client's key (RFC 6455, 4.2.2); ProtocolError where it is none."""
    try:
        is_key = len(base64.b64decode(key, validate=True)) == 16
    except ValueError:
        is_key = False
    if not is_key:
        raise ProtocolError("Sec-WebSocket-Key is not 16 bytes in base64")
    return base64.b64encode(hashlib.sha1(key.encode() + GUID.encode()).digest()).decode()


def packed(frame: Frame) -> bytes:
    """A frame as a server sends it: whole, and never masked."""
    length = len(frame.payload)
    if length < 126:
        head = struct.pack("!BB", 0x80 | frame.op, length)
    elif length < 1 << 16:
        head = struct.pack("!BBH", 0x80 | frame.op, 126, length)
    else:
        head = struct.pack("!BBQ", 0x80 | frame.op, 127, length)
    return head + frame.payload


def read(stream: BufferedIOBase) -> Frame | None:
    """The next frame of a client; None where it hung up, ProtocolError where it broke a rule."""
    head = stream.read(2)
    if len(head) < 2:
        return None
    op = _op(head[0])
    if not head[1] & 0x80:
        raise ProtocolError("a client's frame is not masked")
    length = _length(stream, head[1] & 0x7F)
    if op >= Op.CLOSE and length > 125:
        raise ProtocolError("a control frame of more than 125 bytes")
    mask, payload = stream.read(4), stream.read(length)
    if len(mask) < 4 or len(payload) < length:
        return None
    return Frame(op, bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload)))


def _op(first: int) -> Op:
    if first & 0x70:
        raise ProtocolError("reserved bits are set")
    if not first & 0x80 or first & 0x0F == Op.MORE:
        raise ProtocolError("a message in several frames, which no client of Slack sends")
    try:
        return Op(first & 0x0F)
    except ValueError as error:
        raise ProtocolError("a frame of no known kind") from error


def _length(stream: BufferedIOBase, short: int) -> int:
    width = {126: 2, 127: 8}.get(short, 0)
    length = int.from_bytes(stream.read(width), "big") if width else short
    if length > LONGEST:
        raise ProtocolError(f"a frame of {length} bytes")
    return length
