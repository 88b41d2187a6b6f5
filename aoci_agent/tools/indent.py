"""One indentation laid over another: how a model's block must be shifted to fit the file."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal


def indent_of(line: str) -> str:
    """The leading spaces and tabs."""
    return line[: len(line) - len(line.lstrip(" \t"))]


@dataclass(frozen=True, slots=True)
class Shift:
    """A uniform change of indentation: a prefix more or less, or another unit.

    A change of unit makes `ratio[1]` characters `target` of every `ratio[0]` characters `source`.
    """

    kind: Literal["same", "add", "remove", "unit"] = "same"
    prefix: str = ""
    source: str = ""
    target: str = ""
    ratio: tuple[int, int] = (1, 1)

    def indent(self, old: str) -> str | None:
        """The indentation that takes the place of `old`; None when the shift cannot say."""
        match self.kind:
            case "same":
                return old
            case "add":
                return self.prefix + old
            case "remove":
                return old.removeprefix(self.prefix) if old.startswith(self.prefix) else None
            case "unit":
                return self._other_unit(old)

    def _other_unit(self, old: str) -> str | None:
        length, rest = divmod(len(old) * self.ratio[1], self.ratio[0])
        return None if rest or set(old) - {self.source} else self.target * length

    def apply(self, lines: list[str]) -> list[str] | None:
        """Lines with their indentation shifted; blank lines stay as they are."""
        shifted: list[str] = []
        for line in lines:
            old = indent_of(line)
            new = self.indent(old) if line.strip() else old
            if new is None:
                return None
            shifted.append(new + line[len(old) :])
        return shifted


def find_shift(pairs: Iterable[tuple[str, str]]) -> Shift | None:
    """The one shift that turns every (yours, file's) first part into its second, if there is one."""
    pairs = list(pairs)
    different = next(((old, new) for old, new in pairs if old != new), None)
    if different is None:
        return Shift()
    for shift in _candidates(*different):
        if all(shift.indent(old) == new for old, new in pairs):
            return shift
    return None


def _candidates(old: str, new: str) -> list[Shift]:
    found: list[Shift] = []
    if new.endswith(old):
        found.append(Shift("add", prefix=new[: len(new) - len(old)]))
    if old.endswith(new):
        found.append(Shift("remove", prefix=old[: len(old) - len(new)]))
    if len(set(old)) == 1 and len(set(new)) == 1:
        ratio = (len(old), len(new))
        found.append(Shift("unit", source=old[0], target=new[0], ratio=ratio))
    return found
