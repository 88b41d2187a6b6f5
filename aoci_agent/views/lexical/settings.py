"""What decides the lexical view's content and its scores."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LexicalSettings:
    """The numbers of the ranking. The first two count when searching, the others when indexing."""

    k1: float = 1.2
    """How soon further occurrences of a word in a unit stop counting; 0 counts the first alone."""
    b: float = 0.5
    """How much long units are held back: 0 not at all, 1 in proportion to their length."""
    path_times: int = 1
    """How often the words of its path count as words of a unit."""
    symbol_times: int = 2
    """How often the words of its symbol count as words of a unit (a file: of the symbols in it)."""
    stems: bool = False
    """Whether English words are found in their other forms, `closing` in `close`.

    Off, since it helped one-sentence questions (recall@10 1.6 points, 3,153 functions by their
    docstrings) but not bug reports, taken apart as `views.retrieve` does (files 0, functions less).
    """
    merge_share: float = 0.1
    """Units changed since the last merge, of all units, at which they are merged. Changes no score."""

    def content(self) -> dict[str, str]:
        """The part that decides what is indexed."""
        return {
            "path_times": str(self.path_times),
            "symbol_times": str(self.symbol_times),
            "stems": str(self.stems),
        }
