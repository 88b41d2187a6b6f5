"""A list of strings in two arrays: read in place from a file, without making the strings."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Strings:
    """UTF-8 text of all strings, one after the other, and where each begins (one end more)."""

    text: "npt.NDArray[np.uint8]"
    starts: "npt.NDArray[np.int64]"

    @property
    def count(self) -> int:
        """How many strings."""
        return len(self.starts) - 1

    def get(self, number: int) -> str:
        """One string."""
        return self.text[self.starts[number] : self.starts[number + 1]].tobytes().decode()

    def encoded(self) -> list[bytes]:
        """Every string, in order, in UTF-8."""
        text, starts = self.text.tobytes(), self.starts.tolist()
        return [text[a:b] for a, b in pairwise(starts)]

    def find(self, wanted: str) -> int:
        """Of sorted strings: the number of this one, -1 where it is not among them."""
        text, starts, sought = self.text, self.starts, wanted.encode(errors="replace")

        def at(number: int) -> bytes:
            return text[starts[number] : starts[number + 1]].tobytes()

        number = bisect_left(range(self.count), sought, key=at)
        return number if number < self.count and at(number) == sought else -1

    def places(self, wanted: list[bytes]) -> "tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]":
        """Of sorted strings, for each of other sorted ones: how many come before it; is it here."""
        import numpy as np

        here, start = self.encoded(), 0
        places: list[int] = []
        for text in wanted:
            start = bisect_left(here, text, lo=start)
            places.append(start)
        known = [
            place < len(here) and here[place] == text
            for place, text in zip(places, wanted, strict=True)
        ]
        return np.array(places, np.int64), np.array(known, np.bool_)


def strings(items: Iterable[str]) -> Strings:
    """The arrays of these strings. UTF-8 sorts as the characters do, so sorted ones stay sorted."""
    import numpy as np

    encoded = [item.encode() for item in items]
    starts = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=starts[1:])
    return Strings(np.frombuffer(b"".join(encoded), np.uint8), starts)
