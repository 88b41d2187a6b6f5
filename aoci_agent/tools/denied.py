"""Telling the model that it was the sandbox that refused, so that it does not try again (R18)."""

import re
from collections.abc import Iterator
from pathlib import Path

from aoci_agent.base.box import Access, Box, Strength
from aoci_agent.base.places import home_of
from aoci_agent.base.process import Outcome, scrubbed_environment

WRITES = (
    "The sandbox blocks writing outside the workspace, to .git and to .aoci-agent;"
    " the same command will fail again."
)
NETWORK = (
    "The sandbox blocks the network; where the command needs it, call again with network=true,"
    " which asks the person."
)
HOME = "The sandbox does not show the person's home folder, except for installed tools."
_LOOKED_AT = 40_000  # characters of the end of an output
_UNREACHABLE = re.compile(
    r"network is unreachable|ENETUNREACH|temporary failure in name resolution|EAI_AGAIN"
    r"|could(?:n't| not) resolve|name or service not known|getaddrinfo ENOTFOUND|no such host"
    r"|UnknownHostException|failed to resolve|dns error|failed to lookup address"
    r"|(?:socket|connect)\w*[:(].*(?:operation not permitted|EPERM)"
    r"|No matching distribution found|NewConnectionError",
    re.IGNORECASE,
)
_READ_ONLY = re.compile(r"read-only file system|EROFS|ReadOnlyFilesystem", re.IGNORECASE)
_REFUSED = re.compile(r"permission denied|EACCES|operation not permitted|EPERM", re.IGNORECASE)
_MISSING = re.compile(r"no such file or directory|ENOENT|not found", re.IGNORECASE)
_PATH = re.compile(r"(?<![\w.])/[^\s'\"`:;,)\]]+")


def denial(outcome: Outcome, box: Box, access: Access, root: Path) -> str:
    """The sentences to add to the output of a command that failed, "" when the sandbox had no part."""
    if outcome.exit_code == 0 or box.strength is Strength.NONE:
        return ""
    return " ".join(dict.fromkeys(_found(outcome.output[-_LOOKED_AT:], box, access, root)))


def _found(text: str, box: Box, access: Access, root: Path) -> Iterator[str]:
    if not access.network and _UNREACHABLE.search(text):
        yield NETWORK
    if _READ_ONLY.search(text):
        yield WRITES
    home = home_of(scrubbed_environment())
    for line in text.splitlines():
        outside = [p for p in map(Path, _PATH.findall(line)) if not p.is_relative_to(root)]
        if box.strength is Strength.PARTIAL and outside and _REFUSED.search(line):
            yield WRITES
        if any(path.is_relative_to(home) for path in outside) and (
            _MISSING.search(line) or _REFUSED.search(line)
        ):
            yield HOME
