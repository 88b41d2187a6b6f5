"""Names inside a workspace that no tool may write: git's own files and the agent's own state."""

import re
import unicodedata

STATE = ".aoci-agent"
_GIT = ".git"
# Code points that HFS+ ignores in names, so that ".g\u200cit" is ".git" there.
_IGNORED = dict.fromkeys(
    [*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF, 0xAD]
)


# Short names a Windows file system gives to ".git" and ".aoci-agent".
_SHORT = re.compile(r"(git|aoci-a|aocia)~\d+")


def protected_part(parts: tuple[str, ...]) -> str:
    """The first component that is git's or the agent's own under any file system's rules, or ""."""
    for part in parts:
        name = _plain(part)
        if name in (_GIT, STATE) or _SHORT.fullmatch(name):
            return part
    return ""


def is_git_part(part: str) -> bool:
    """Whether one component is a git folder's name under any file system's rules."""
    name = _plain(part)
    return name == _GIT or name.startswith("git~")


def _plain(part: str) -> str:
    """The name as a case-folding, normalising, dot-trimming file system would compare it."""
    name = unicodedata.normalize("NFKC", part.translate(_IGNORED)).casefold()
    name = name.split(":", 1)[0]  # NTFS: ".git::$INDEX_ALLOCATION"
    return name.rstrip(". ")
