"""The studio's styles and script, at addresses that change with them."""

from flask import Blueprint, Response, abort

from bot.web.studio import answers
from bot.web.studio.installation import Studio


def add(pages: Blueprint, studio: Studio) -> None:  # noqa: ARG001 (as every group)
    """`/studio/files/<name>.<hash>.<ending>`."""
    pages.add_url_rule("/files/<named>", "files", file)


def file(named: str) -> Response:
    """The file, whoever asks: it says nothing of the installation."""
    return answers.file(named) or abort(404)
