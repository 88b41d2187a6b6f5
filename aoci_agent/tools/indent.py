"""One indentation laid over another: how a model's block must be shifted to fit the file."""

from collections.abc import Callable, Iterable, Iterator

# The indentation that takes the place of one of the model's; None when that cannot be said.
Shift = Callable[[str], str | None]


def indent_of(line: str) -> str:
    """The leading spaces and tabs."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def find_shift(pairs: Iterable[tuple[str, str]]) -> Shift | None:
    """The one uniform shift that turns every (yours, file's) first part into its second, if any."""
    pairs = list(pairs)
    different = next(((old, new) for old, new in pairs if old != new), ("", ""))
    shifts = (s for s in _candidates(*different) if all(s(old) == new for old, new in pairs))
    return next(shifts, None)


def _candidates(old: str, new: str) -> Iterator[Shift]:
    """A prefix more, a prefix less, or another unit: so many `new` characters for the `old` ones."""
    if new.endswith(old):
        more = new.removesuffix(old)
        yield lambda indent: more + indent
    if old.endswith(new):
        less = old.removesuffix(new)
        yield lambda indent: indent[len(less) :] if indent.startswith(less) else None
    if len(set(old)) == 1 and len(set(new)) == 1:
        yield lambda indent: _in_other_unit(indent, old, new)


def _in_other_unit(indent: str, old: str, new: str) -> str | None:
    length, rest = divmod(len(indent) * len(new), len(old))
    return None if rest or indent.strip(old[0]) else new[0] * length


def shifted(lines: list[str], shift: Shift) -> list[str] | None:
    """Lines with their indentation shifted; blank lines stay as they are."""
    result: list[str] = []
    for line in lines:
        old = indent_of(line)
        new = shift(old) if line.strip() else old
        if new is None:
            return None
        result.append(new + line[len(old) :])
    return result
