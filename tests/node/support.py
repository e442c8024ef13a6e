"""Makes `bot/checks/_support.json` of the npm package `caniemail`: `python -m tests.node.support`.

Of each feature only its name is kept, and which of the big mail programs do not know it at all today.
"""

import json
from pathlib import Path
from typing import Any

from tests.node import HERE

PACKAGE = HERE / "node_modules" / "caniemail"
FILE = Path(__file__).resolve().parents[2] / "bot" / "checks" / "_support.json"
FAMILIES = ("apple-mail", "gmail", "outlook", "yahoo")
GONE = {("outlook", "windows-mail")}
"""Programs that their maker has ended."""


def compact(data: dict[str, Any], version: str, notice: str) -> str:
    """The file's text: who made it, when it was tested, and feature → the programs that lack it."""
    lacking = {one["slug"]: " ".join(sorted(_lacking(one["stats"]))) for one in data["data"]}
    document = {
        "": f"caniemail {version} of {data['last_update_date'][:10]}, {notice}",
        **{slug: lacking[slug] for slug in sorted(lacking) if lacking[slug]},
    }
    return json.dumps(document, indent=0, ensure_ascii=False) + "\n"


def _lacking(stats: dict[str, dict[str, dict[str, str]]]) -> list[str]:
    return [
        f"{family}.{platform}"
        for family in FAMILIES
        for platform, versions in stats.get(family, {}).items()
        if (family, platform) not in GONE and list(versions.values())[-1].startswith("n")
    ]


def made() -> str:
    """The file as the installed package makes it."""
    data = json.loads((PACKAGE / "data" / "caniemail.json").read_text("utf-8"))
    version = json.loads((PACKAGE / "package.json").read_text("utf-8"))["version"]
    lines = (PACKAGE / "LICENSE").read_text("utf-8").splitlines()
    notices = [line.partition("<")[0].strip() for line in lines if line.startswith("Copyright")]
    return compact(data, version, ", ".join(("MIT", *notices)))


if __name__ == "__main__":
    FILE.write_text(made(), "utf-8", newline="\n")
