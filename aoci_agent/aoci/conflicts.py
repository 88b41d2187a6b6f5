"""Merge conflict markers in the index: either side of one may be a person's."""

from aoci_agent.base.errors import ForUser

_EDGES = ("<<<<<<< ", ">>>>>>> ")
_BASE = "||||||| "
_MIDDLE = "======="


def is_marker(line: str) -> bool:
    """Whether git wrote this line into a file it could not merge."""
    return line == _MIDDLE or line.startswith((*_EDGES, _BASE))


def has_conflict(text: str) -> bool:
    """Whether the text holds a conflict; a lone `=======` is none."""
    return any(line.startswith(_EDGES) for line in text.split("\n"))


def refuse_conflict(text: str, name: str) -> None:
    """Raise ForUser for a text with conflicts."""
    if has_conflict(text):
        raise ForUser(
            f"{name} holds merge conflict markers",
            "settle them in the file, or take one side whole (git checkout --ours or --theirs),"
            " then: aoci-agent index update",
        )


def without_conflict(text: str) -> str:
    """The text without markers; both sides of a conflict are read, the first of a path counts."""
    return "\n".join(line for line in text.split("\n") if not is_marker(line))
