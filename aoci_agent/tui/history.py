"""Prompts typed before, kept in one private file across sessions."""

import contextlib
import json
import os
from pathlib import Path

from aoci_agent.base.secrets import Mask

KEEP = 500
TRIM_OVER = 1_000_000  # bytes


class PromptHistory:
    """Newest last. One JSON string per line, file mode 0600, appended so that sessions can share it.

    A file that cannot be read or written costs the history of this session, never the session.
    """

    def __init__(self, path: Path | None = None, mask: Mask | None = None) -> None:
        self._path = path
        self.mask = mask or Mask.of(os.environ)  # no key is kept, shown or sent
        self._entries: list[str] = []
        self._at = 0  # len(entries) = the draft
        self._draft = ""

    def load(self) -> None:
        """Read the file, dropping lines that are damaged."""
        if self._path is not None:
            early = self._entries  # sent while the session opened; in the file already
            kept = map(self.mask.mask, _read(self._path))  # earlier versions wrote keys down
            before = [entry for entry in kept if entry not in early]
            self._entries = [*before, *early][-KEEP:]
        self._at = len(self._entries)
        self._trim()

    def add(self, prompt: str) -> str:
        """Remember a prompt that is sent, without the keys in it; what is to be sent."""
        self._draft, prompt = "", self.mask.mask(prompt)
        if prompt.strip() and (not self._entries or self._entries[-1] != prompt):
            self._entries.append(prompt)
            self._append(prompt)
        self._at = len(self._entries)
        return prompt

    def older(self, current: str) -> str | None:
        """The entry before the one shown; None at the oldest. `current` is kept as the draft."""
        if self._at == 0:
            return None
        if self._at == len(self._entries):
            self._draft = current
        self._at -= 1
        return self._entries[self._at]

    def newer(self) -> str | None:
        """The entry after the one shown, then the draft, then None."""
        if self._at == len(self._entries):
            return None
        self._at += 1
        return self._draft if self._at == len(self._entries) else self._entries[self._at]

    def search(self, words: str, skip: int) -> str | None:
        """The entry that contains `words`, newest first, after leaving out `skip` of them."""
        wanted = words.casefold()
        found = [entry for entry in reversed(self._entries) if wanted in entry.casefold()]
        return found[skip] if skip < len(found) else None

    def _append(self, prompt: str) -> None:
        if self._path is None:
            return
        line = json.dumps(prompt, ensure_ascii=True) + "\n"
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            file = os.open(self._path, flags, 0o600)
            try:
                os.write(file, line.encode())
            finally:
                os.close(file)

    def _trim(self) -> None:
        if self._path is None:
            return
        with contextlib.suppress(OSError):
            if self._path.stat().st_size > TRIM_OVER:
                from aoci_agent.base.files import atomic_write

                lines = (json.dumps(entry) for entry in self._entries)
                atomic_write(self._path, ("\n".join(lines) + "\n").encode(), 0o600)


def _read(path: Path) -> list[str]:
    entries: list[str] = []
    with contextlib.suppress(OSError, UnicodeDecodeError):
        for line in path.read_text(encoding="utf-8").splitlines():
            with contextlib.suppress(ValueError):
                entry = json.loads(line)
                if isinstance(entry, str):
                    entries.append(entry)
    return entries
