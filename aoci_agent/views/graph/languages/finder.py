"""What most finders have no answer to. To be built upon."""

from collections.abc import Sequence


class PlainFinder:
    """Spaces have no spaces in them, see no others by themselves, and no framework provides names."""

    def child(self, space: str, name: str) -> str:
        """No space is inside another."""
        return ""

    def implicit(self, path: str, space: str) -> Sequence[str]:
        """No names are seen without an import."""
        return ()

    def given(self, path: str) -> Sequence[str]:
        """Nothing is provided by name."""
        return ()
