"""The documents a language server has open, kept in step with the files."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from aoci_agent.views.navigate.answer import NoAnswer
from aoci_agent.views.navigate.texts import Stamp, Texts

_OPEN = 12  # at the same time
_CREATED, _CHANGED, _REMOVED = 1, 2, 3

Say = Callable[[str, Mapping[str, Any]], None]


class Documents:
    """Opens a document when it is asked about, and leaves the last few open: reopening is dear."""

    def __init__(self, texts: Texts, languages: Mapping[str, str], say: Say) -> None:
        self._texts = texts
        self._languages = languages
        self._say = say
        self._open: OrderedDict[str, tuple[Stamp, int]] = OrderedDict()  # path -> stamp, version

    def show(self, path: str) -> None:
        """Open the document, and bring every open one in step with its file. NoAnswer."""
        self._refresh_all()
        if path not in self._open:
            self._tell_open(path)
        self._open.move_to_end(path)
        while len(self._open) > _OPEN:
            self._close(next(iter(self._open)))

    def files_changed(self, paths: Sequence[str]) -> None:
        """Tell what became of files on disk, and the present text of open documents."""
        events: list[Mapping[str, object]] = []
        for path in paths:
            if not self._language(path):
                continue
            gone = self._texts.stamp(path) is None
            # A server that does not know a file yet takes only the first for news, another only the second.
            kinds = (_REMOVED,) if gone else (_CREATED, _CHANGED)
            events += [{"uri": self._texts.uri(path), "type": kind} for kind in kinds]
        self._refresh_all()
        if events:
            self._say("workspace/didChangeWatchedFiles", {"changes": events})

    def _refresh_all(self) -> None:
        for path in list(self._open):
            self._refresh(path)

    def _refresh(self, path: str) -> None:
        stamp, version = self._open[path]
        if self._texts.stamp(path) == stamp:
            return
        try:
            text = self._texts.read(path)
        except NoAnswer:
            self._close(path)
            return
        self._open[path] = text.stamp, version + 1
        document = {"uri": self._texts.uri(path), "version": version + 1}
        self._notify("didChange", document, contentChanges=[{"text": text.text}])

    def _tell_open(self, path: str) -> None:
        text = self._texts.read(path)
        self._open[path] = text.stamp, 1
        document = {
            "uri": self._texts.uri(path),
            "languageId": self._language(path) or "plaintext",
            "version": 1,
            "text": text.text,
        }
        self._notify("didOpen", document)

    def _close(self, path: str) -> None:
        del self._open[path]
        self._notify("didClose", {"uri": self._texts.uri(path)})

    def _language(self, path: str) -> str:
        return self._languages.get(PurePosixPath(path).suffix.lower(), "")

    def _notify(self, what: str, document: Mapping[str, Any], **more: object) -> None:
        self._say(f"textDocument/{what}", {"textDocument": document, **more})
