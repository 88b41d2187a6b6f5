"""One language server: its start, its end, and its answers in our terms."""

import asyncio
import os
import re
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, cast

from aoci_agent.views.navigate import replies
from aoci_agent.views.navigate.answer import NoAnswer
from aoci_agent.views.navigate.columns import from_units, to_units
from aoci_agent.views.navigate.connection import Connection, ServerEnded, ServerRefused
from aoci_agent.views.navigate.documents import Documents
from aoci_agent.views.navigate.replies import Json, Span
from aoci_agent.views.navigate.servers import Launch
from aoci_agent.views.navigate.texts import Texts

START_SECONDS = 60.0
STOP_SECONDS = 0.5
_SYMBOLS = 100

_CAPABILITIES: Json = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"workDoneProgress": True},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "symbol": {},
    },
    "textDocument": {
        "synchronization": {"didSave": False},
        "definition": {"linkSupport": False},
        "references": {},
        "hover": {"contentFormat": ["plaintext", "markdown"]},
        "callHierarchy": {},
        "diagnostic": {},  # asked for, not sent: nobody asks
    },
}


class Question(NamedTuple):
    """What is asked: a place (line from 1, column from 0 in characters), or words for `symbols`."""

    ask: str  # definition, references, hover, symbols, callers
    path: str = ""
    line: int = 1
    column: int = 0
    query: str = ""


class Found(NamedTuple):
    """An answer: rows of (path, start, end, column, symbol, kind); places outside are only named."""

    places: list[tuple[str, int, int, int, str, str]]
    outside: list[str]
    text: str = ""
    indexing: bool = False  # the server had not read everything yet


class Server:
    """A language server for one folder, started once. Use `start`, then `ask`, at last `stop`."""

    def __init__(self, launch: Launch, root: Path, cwd: Path) -> None:
        self.connection = Connection(list(launch.argv), str(cwd))
        self.version = ""
        self._launch = launch
        self._root = root
        self._texts = Texts(root)
        self._documents = Documents(self._texts, launch.languages, self.connection.say)
        self._provides: Json = {}
        self._working: set[object] = set()  # tokens of progress that has not ended

    async def start(self) -> None:
        """Start the program and agree with it. OSError, ServerEnded, ServerRefused, TimeoutError."""
        connection = self.connection
        await connection.start()
        self._answer_requests()
        async with asyncio.timeout(START_SECONDS):
            result: Any = await connection.send_request("initialize", self._hello())
        agreed = cast("dict[str, Any]", result) if isinstance(result, dict) else {}
        self._provides = agreed.get("capabilities") or {}
        about: Json = agreed.get("serverInfo") or {}
        self.version = _version(str(about.get("version", "")))
        connection.say("initialized", {})

    def _hello(self) -> dict[str, Any]:
        folder = {"uri": self._texts.uri(), "name": self._root.name}
        return {
            "processId": os.getpid(),
            "clientInfo": {"name": "aoci-agent"},
            "rootUri": folder["uri"],
            "rootPath": str(self._root),
            "workspaceFolders": [folder],
            "capabilities": _CAPABILITIES,
            "initializationOptions": dict(self._launch.told),
        }

    def _answer_requests(self) -> None:
        """What servers ask of a client: settings, registrations, progress, edits (always refused)."""
        connection = self.connection

        async def nothing(_: Any) -> None:
            return None

        async def settings(params: Any) -> list[Any]:
            return [self._setting(item) for item in params.get("items", ())]

        async def refused(_: Any) -> dict[str, Any]:
            return {"applied": False, "failureReason": "read only"}

        async def progress(params: Any) -> None:
            kind = params["value"].get("kind")
            (self._working.discard if kind == "end" else self._working.add)(params["token"])

        for method in (
            "client/registerCapability",
            "client/unregisterCapability",
            "window/workDoneProgress/create",
            "window/showMessageRequest",
        ):
            connection.answer(method, nothing)
        connection.answer("workspace/configuration", settings)
        connection.answer("workspace/applyEdit", refused)
        connection.hear("$/progress", progress)

    def _setting(self, item: Json) -> Any:
        """A section of what the server is told, by its dotted name without the server's own."""
        section = item.get("section")
        value: Any = self._launch.told
        for name in str(section or "").split(".")[1:]:
            value = cast("Json", value).get(name) if isinstance(value, Mapping) else None
        return value or None

    async def ask(self, question: Question) -> Found:
        """One answer. NoAnswer for what it cannot do, ServerEnded when it is gone meanwhile."""
        indexing = bool(self._working)
        try:
            found = await self._asked(question)
        except ServerRefused as error:
            raise NoAnswer(f"{self._launch.name} refused: {error}") from error
        return found._replace(indexing=indexing or bool(self._working))

    async def _asked(self, question: Question) -> Found:
        send = self.connection.send
        if question.ask == "symbols":
            self._needs("workspaceSymbolProvider")
            raw: Any = await send.workspace_symbol({"query": question.query})
            return self._found(replies.symbols(raw)[:_SYMBOLS])
        where: Any = self._where(question)
        if question.ask == "definition":
            return self._found(replies.spans(await send.definition(where)))
        if question.ask == "references":
            where |= {"context": {"includeDeclaration": False}}
            used = replies.spans(await send.references(where))
            defined = await self._defined(where) if self._launch.counts_itself else set[Span]()
            return self._found([span for span in used if span not in defined])
        if question.ask == "hover":
            return Found([], [], replies.hover(await send.hover(where)))
        return self._found(await self._callers(where))

    async def _defined(self, where: Any) -> set[Span]:
        return set(replies.spans(await self.connection.send.definition(where)))

    async def _callers(self, where: Any) -> list[Span]:
        self._needs("callHierarchyProvider")
        items: Any = await self.connection.send.prepare_call_hierarchy(where)
        if not isinstance(items, list) or not items:
            return []
        item = cast("list[Any]", items)[0]
        return replies.callers(await self.connection.send.incoming_calls({"item": item}))

    def _needs(self, capability: str) -> None:
        if not self._provides.get(capability):
            raise NoAnswer(f"{self._launch.name} does not offer that")

    def _where(self, question: Question) -> dict[str, Any]:
        """The place in the protocol's terms; the server is shown the present text first."""
        text = self._texts.read(question.path)
        self._documents.show(question.path)
        units = to_units(text.line(question.line - 1), question.column)
        return {
            "textDocument": {"uri": self._texts.uri(question.path)},
            "position": {"line": question.line - 1, "character": units},
        }

    def files_changed(self, paths: Sequence[str]) -> None:
        """Tell it that files changed on disk, came or went."""
        self._documents.files_changed(paths)

    def _found(self, found: Sequence[Span]) -> Found:
        places: set[tuple[str, int, int, int, str, str]] = set()
        outside: list[str] = []
        for span in found:
            path, inside = self._texts.path_of(span.uri)
            if not inside:
                outside.append(f"{path}:{span.line + 1}")
                continue
            places.add((
                path, span.line + 1, span.last_line + 1, self._column(path, span), span.symbol, span.kind
            ))  # fmt: skip
        return Found(sorted(places), outside)

    def _column(self, path: str, span: Span) -> int:
        try:
            return from_units(self._texts.read(path).line(span.line), span.units)
        except NoAnswer:  # gone since, or too large: the line is what counts
            return span.units

    async def stop(self) -> None:
        """Ask it to leave, then end it and what it started."""
        connection = self.connection
        with suppress(TimeoutError, ServerEnded, ServerRefused):
            async with asyncio.timeout(STOP_SECONDS):
                await connection.send_request("shutdown")
            connection.say("exit", {})
        await self.kill()

    async def kill(self, why: str = "it was stopped") -> None:
        """End it and what it started, at once."""
        self.connection.give_up(why)
        end_group(self.connection.pid)
        await self.connection.stop()


def _version(said: str) -> str:
    """The number in what a server calls its version; gopls tells all about its build instead."""
    found = re.search(r"(?<![\w.])v?\d+\.\d+[\w.+-]*", said)
    return found[0] if found else ""


def end_group(pid: int) -> None:
    """Kill a program that was started in a session of its own, with its group."""
    if pid:
        with suppress(OSError):
            os.killpg(pid, signal.SIGKILL)
