"""Long pastes, kept aside and shown as one unit in the prompt."""

import re
from itertools import count

FOLD_OVER = 10  # lines
FOLD_OVER_CHARACTERS = 4000


class Pastes:
    """Folded text by the label that stands for it. A label is one unit: all of it, or nothing."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def fold(self, text: str) -> str:
        """The label to show instead of `text`, or `text` itself when it is short."""
        lines = text.count("\n") + (not text.endswith("\n"))
        if lines <= FOLD_OVER and len(text) <= FOLD_OVER_CHARACTERS:
            return text
        size = f"{lines} lines" if lines > 1 else f"{len(text)} characters"
        for number in count(1):
            label = f"[pasted {size}]" if number == 1 else f"[pasted {size} #{number}]"
            if label not in self._texts:
                self._texts[label] = text
                return label
        raise AssertionError

    def unfold(self, text: str) -> str:
        """`text` with every label replaced by what was pasted."""
        if not self._texts:
            return text
        labels = re.compile("|".join(re.escape(label) for label in self._texts))
        return labels.sub(lambda found: self._texts[found[0]], text)

    def forget(self) -> None:
        """The prompt was sent or thrown away."""
        self._texts.clear()

    def span_at(self, line: str, column: int) -> tuple[int, int] | None:
        """Start and end of the label that `column` touches (inside or at either end)."""
        for label in self._texts:
            start = line.find(label)
            if start >= 0 and start <= column <= start + len(label):
                return start, start + len(label)
        return None
