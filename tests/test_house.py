"""The house holds: imports point inwards, and what the configuration can name is one file in one folder."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import bot
from bot import plugins

BOT = Path(bot.__file__).parent

# Each row may import the rows above it, and its own row where the name is not in EDGES.
ROWS = (
    {"text", "models", "errors", "slots", "steps"},
    {
        "plugins", "settings", "calendar", "picker", "markup", "compose", "inline", "mail", "headers",
        "links", "policy", "checks", "blockkit", "front_matter", "templates", "folding",
        "addresses", "canonical", "changes", "dkim", "drawing", "signing", "feeds", "meters", "notices",
        "pages",
    },
    {"sources", "channels", "transports", "store", "lookups"},
    {
        "publish", "outbox", "doubts", "correcting", "approvals", "subscriptions", "importing", "content",
        "clerk", "proofs", "telling", "readership", "doctor", "listening", "mending",
    },
    {
        "app", "cli", "deciding", "desk", "drafting", "inspection", "nominating", "outlook", "overview",
        "previews", "running", "schedule", "trials", "web",
    },
)  # fmt: skip
EDGES = ROWS[2]
ROW_OF = {room: number for number, row in enumerate(ROWS) for room in row}


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(BOT.rglob("*.py")):
        name = ".".join(("bot", *path.relative_to(BOT).with_suffix("").parts)).removesuffix(".__init__")
        if room_of(name) not in {"", "__main__"}:
            yield name, ast.parse(path.read_text("utf-8"))


def imports(tree: ast.Module) -> Iterator[str]:
    """The rooms a module imports; `TYPE_CHECKING` imports are words, not needs."""
    for node in _needed(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "bot":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bot."):
            yield room_of(node.module or "")
        elif isinstance(node, ast.Import):
            yield from (room_of(alias.name) for alias in node.names if alias.name.startswith("bot."))


def _needed(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but those under `if TYPE_CHECKING`."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield node
            yield from _needed(node)


def may_import(importer: str, imported: str) -> bool:
    if imported in {importer, "errors"}:
        return True
    if importer in EDGES and imported in EDGES:
        return False
    return ROW_OF[imported] <= ROW_OF[importer]


def test_every_module_has_a_room_in_the_house() -> None:
    assert {room_of(name) for name, _ in modules()} <= set(ROW_OF)


def test_imports_point_inwards() -> None:
    wrong = [
        f"{room_of(name)} must not import {room} ({name})"
        for name, tree in modules()
        for room in imports(tree)
        if room in ROW_OF and not may_import(room_of(name), room)
    ]
    assert wrong == []


def test_every_module_opens_with_one_sentence() -> None:
    assert [name for name, tree in modules() if not ast.get_docstring(tree)] == []


@pytest.mark.parametrize("folder", ["channels", "transports"])
def test_a_plug_in_is_found_by_the_name_of_its_file(folder: str) -> None:
    for kind in plugins.kinds(folder):
        module = plugins.find(folder, kind)
        assert issubclass(module.Options, plugins.Options)
        assert callable(getattr(module, "build", None)), f"bot.{folder}.{kind} has no build"


@pytest.mark.parametrize("name", ["utils", "helpers", "common", "manager", "base", "service"])
def test_there_is_no_drawer_for_things_without_a_name(name: str) -> None:
    words = {path: {word.rstrip("s") for word in path.stem.split("_")} for path in BOT.rglob("*.py")}
    assert [path for path in words if name.rstrip("s") in words[path]] == []
