"""Opens a content file: bytes, YAML front matter where every scalar stays the text it is, and body."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from bot.models import Finding, Severity
from bot.plugins import nearest

LARGEST = 2_000_000
"""Bytes of one content file."""
_LARGEST_FRONT = 100_000
"""Characters of front matter: some keys, and an introduction at most."""

_FENCE = re.compile(r"---[ \t]*$", re.MULTILINE)
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_KEY_LINE = re.compile(r"[ \t]*(?P<key>[^\s:#-][^:\n]*?)[ \t]*:(?=\s|$)")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
_NULLS = {"", "~", "null", "Null", "NULL"}


@dataclass(frozen=True, slots=True)
class Value:
    """What one key holds, and its line in the file; `text` is None for an empty one."""

    line: int
    node: yaml.Node

    @property
    def text(self) -> str | None:
        """The scalar as it was written; None for nothing, `~` and `null`, and for lists and tables."""
        node = self.node
        if not isinstance(node, yaml.ScalarNode) or (node.style is None and node.value in _NULLS):
            return None
        return str(node.value)

    @property
    def is_text(self) -> bool:
        return isinstance(self.node, yaml.ScalarNode)

    def rows(self) -> "Iterator[tuple[str, Value]] | None":
        """The keys and values of a table, each on its own line; None where it is none."""
        node = self.node
        if not isinstance(node, yaml.MappingNode):
            return None
        return ((str(key.value), Value(_line(key), value)) for key, value in node.value)

    def pairs(self) -> Iterator[tuple[str | None, str]]:
        """A list of links in any of its spellings, as label (None: without) and address."""
        match self.node:
            case yaml.SequenceNode(value=items):
                for item in items:
                    yield from Value(self.line, item).pairs()
            case yaml.MappingNode(value=rows):
                for key, address in rows:
                    yield str(key.value), Value(self.line, address).text or ""
            case _ if self.text:
                yield None, self.text


@dataclass(slots=True)
class FrontMatter:
    """A content file, opened: values by key, the body with its first line's number, and the findings."""

    place: str
    values: dict[str, Value] = field(default_factory=dict)
    body: str = ""
    body_line: int = 1
    findings: list[Finding] = field(default_factory=list)
    text: str = ""
    """The whole file with plain line ends; empty where it is no text."""

    def find(
        self, rule: str, line: int, message: str, fix: str = "", *, severity: Severity = Severity.ERROR
    ) -> None:
        """Note one finding on a line of the file."""
        self.findings.append(Finding(f"content.{rule}", severity, f"{self.place}:{line}", message, fix))

    def refuse_others(self, known: Mapping[str, object] | tuple[str, ...]) -> None:
        """Every key that is none of the known ones is an error that names the nearest."""
        for key, value in self.values.items():
            if key not in known:
                hint = nearest(key, known).removeprefix("; ") or f"the keys are {', '.join(known)}"
                self.find("key", value.line, f"{key}: no such key", hint)


def open_file(path: Path, place: str) -> FrontMatter:
    """Read one content file; whatever is wrong with it is among the findings."""
    content = bytes_of(path, place)
    return open_bytes(content, place) if isinstance(content, bytes) else content


def open_bytes(content: bytes, place: str) -> FrontMatter:
    """Open what a content file holds, or would hold; whatever is wrong with it is among the findings."""
    opened = FrontMatter(place)
    _open(content, opened)
    return opened


def _open(content: bytes, opened: FrontMatter) -> None:
    if (text := _decoded(content, opened)) is not None:
        opened.text = text
        _split(text, opened)


# ---------------------------------------------------------------------------------------------- bytes


def bytes_of(path: Path, place: str) -> bytes | FrontMatter:
    """The file's bytes, of a larger one its beginning; where it cannot be read, what says so."""
    try:
        with path.open("rb") as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        opened = FrontMatter(place)
        what = f"cannot be read: {error.strerror or type(error).__name__}"
        opened.find("file", 1, what, "mend its permissions")
        return opened


def _decoded(content: bytes, opened: FrontMatter) -> str | None:
    """The text with plain line ends, or None with a finding."""
    if len(content) > LARGEST:
        opened.find(
            "file", 1, f"larger than {LARGEST:,} bytes", "an issue is some 20 KB: is this the right file?"
        )
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _not_utf8(content, error, opened)
        return None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return None if _has_control(text, opened) else text


def _not_utf8(content: bytes, error: UnicodeDecodeError, opened: FrontMatter) -> None:
    # A BOM is cut off before decoding, so the offset in the error may be three short.
    offset = error.start + len(content) - len(error.object)
    line = content.count(b"\n", 0, offset) + 1
    byte = f"byte 0x{content[offset]:02x} at offset {offset} is not UTF-8"
    opened.find("encoding", line, byte, "save the file as UTF-8")


def _has_control(text: str, opened: FrontMatter) -> bool:
    if not (found := _CONTROL.search(text)):
        return False
    line = text.count("\n", 0, found.start()) + 1
    opened.find("encoding", line, f"control character U+{ord(found[0]):04X}", "delete it")
    return True


# ------------------------------------------------------------------------------------------- the fence


def _split(text: str, opened: FrontMatter) -> None:
    """Part front matter and body; a body may itself begin with a rule, `---`."""
    fence = _FENCE.match(text)
    if not fence or not _looks_like_keys(text[fence.end() :]):
        opened.body = text
        return
    begin = fence.end() + 1
    if not (close := _CLOSE.search(text, begin)):
        opened.find("yaml", 1, "the front matter is never closed", "end it with a line of three hyphens, ---")
        return
    opened.body = text[close.end() + 1 :]
    opened.body_line = text.count("\n", 0, close.end()) + 2
    _compose(text[begin : close.start()], opened)


def _looks_like_keys(rest: str) -> bool:
    """Whether what follows the first `---` is front matter: empty, or opening with a key or a comment."""
    lines = rest.split("\n", 2)
    first = lines[1] if len(lines) > 1 else ""
    return bool(_CLOSE.match(first) or first.lstrip().startswith("#") or _KEY_LINE.match(first))


# ------------------------------------------------------------------------------------------------ YAML


class _Loader(yaml.BaseLoader):
    """YAML as nodes, without anchors and aliases: no value is anything but what stands at its key."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]  # so in its stubs
        if getattr(event, "anchor", None) is not None:
            raise yaml.composer.ComposerError(
                None, None, "anchors (&) and aliases (*) are not taken", event.start_mark
            )
        if getattr(event, "tag", None) is not None:
            raise yaml.composer.ComposerError(None, None, "tags (!) are not taken", event.start_mark)
        return super().compose_node(parent, index)


def _compose(source: str, opened: FrontMatter) -> None:
    if len(source) > _LARGEST_FRONT:
        opened.find("yaml", 1, f"front matter of more than {_LARGEST_FRONT:,} characters", "shorten it")
        return
    try:
        root = yaml.compose(source, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        _not_yaml(source, error, opened)
    except (yaml.YAMLError, RecursionError) as error:
        opened.find(
            "yaml", 1, f"not readable as YAML ({str(error).splitlines()[0]})", "mend the front matter"
        )
    else:
        if isinstance(root, yaml.MappingNode):
            _take(root, source, opened)
        elif root is not None:
            opened.find("yaml", 2, "the front matter is no list of keys and values", "write title: … in it")


def _take(root: yaml.MappingNode, source: str, opened: FrontMatter) -> None:
    for key_node, node in root.value:
        key, line = str(key_node.value), _line(key_node)
        if not isinstance(key_node, yaml.ScalarNode):
            opened.find("yaml", line, "a key that is a list or a table", "write title: … in it")
        elif first := opened.values.get(key):
            opened.find("yaml", line, f"{key}: twice, first in line {first.line}", "delete one of them")
        else:
            opened.values[key] = Value(line, node)
            _warn_of_lost_text(key, node, source, opened)


def _line(node: yaml.Node) -> int:
    """Its line in the file: the front matter begins in the second one."""
    return int(node.start_mark.line) + 2


def _warn_of_lost_text(key: str, node: yaml.Node, source: str, opened: FrontMatter) -> None:
    """`title: C# is #1`: to YAML the rest is a comment."""
    if not isinstance(node, yaml.ScalarNode) or node.style is not None or key in ("week", "status", "date"):
        return
    rest = source[node.end_mark.index :].split("\n", 1)[0].strip()
    if rest.startswith("#"):
        what, fix = f"{key}: the text after # is dropped: {rest[:40]!r}", f'quote the {key}: {key}: "…"'
        opened.find("yaml", node.end_mark.line + 2, what, fix, severity=Severity.WARNING)


def _not_yaml(source: str, error: yaml.MarkedYAMLError, opened: FrontMatter) -> None:
    """One finding that names the key at which YAML stumbled."""
    at_start = re.match("while (scanning a|parsing a flow)", error.context or "") and error.context_mark
    mark = error.context_mark if at_start else error.problem_mark or error.context_mark
    number = min(mark.line if mark else 0, source.count("\n"))
    line = source.split("\n")[number]
    problem = (error.problem or "unreadable").split("\n")[0]
    key = found["key"].strip("'\"") if (found := _KEY_LINE.match(line)) else ""
    what = f"not readable as YAML ({problem})"
    opened.find("yaml", number + 2, f"{key}: {what}" if key else what, _fix_of(line, key))


def _fix_of(line: str, key: str) -> str:
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "indent with blanks, not with tabs"
    if line[:1].isspace():
        return "begin every key at the start of its line"
    return f'quote the {key}: {key}: "…"' if key else 'write key: value, and put "…" around the value'
