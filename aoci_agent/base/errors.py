"""Errors, sorted by who must hear them.

    AgentError
    ├── ForUser               a person must act; shown as one line plus the way out, sets the exit code
    │   ├── BadUsage          2: the command line or the settings make no sense
    │   ├── BadWorkspace      1: the folder cannot be worked in
    │   └── ModelUnavailable  1: no key, unknown name, unreachable endpoint, refused request
    └── ForModel              goes back to the model as the result of its tool call
        ├── TryAgain          the call can be mended: bad arguments, text not found, stale file
        └── NotPossible       no retry helps: outside the workspace, binary file, denied

Anything else that is raised is a bug in this program and is never caught on the way up, except at
the front door, which records it and names the session file.
"""

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of the command, documented in the README."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    LIMIT = 3
    DENIED = 4
    INTERRUPTED = 130


class AgentError(Exception):
    """Root of every error this program raises on purpose."""


class ForUser(AgentError):
    """A person must act. `message` names the thing, `hint` the way out; both are plain text."""

    exit_code: Exit = Exit.FAILED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class BadUsage(ForUser):
    """The command line, the environment or the settings file make no sense."""

    exit_code = Exit.USAGE


class BadWorkspace(ForUser):
    """The folder does not exist, cannot be read, or is too broad to work in."""


class ModelUnavailable(ForUser):
    """No key, a name no provider knows, an endpoint that does not answer, or a refused request."""


class ForModel(AgentError):
    """Becomes the text of a failed tool result; the model reads it and goes on."""


class TryAgain(ForModel):
    """The model can mend its call: wrong arguments, text not found, file changed since read."""


class NotPossible(ForModel):
    """No retry helps: outside the workspace, not a regular file, binary, denied."""
