"""A session's net without a session: questions, edits and commands, as the dispatcher would do them."""

import hashlib
import os
import stat
import subprocess
from contextlib import suppress
from pathlib import Path

from support.fakes import Text, change, look, shell

from aoci_agent.agent.events import Grew, TurnStarted
from aoci_agent.agent.past import Past
from aoci_agent.agent.record import NoRecord, Recorder
from aoci_agent.agent.rewind import Rewind, Rewound
from aoci_agent.agent.toolbox import Bound
from aoci_agent.agent.undo import Undo
from aoci_agent.base.git import Repository
from aoci_agent.base.snapshots.snapshots import LARGEST, Snapshots
from aoci_agent.policies.conversation import AssistantMessage, Message, ToolCall, said
from aoci_agent.tools.tool import Arguments, Effect, ToolResult

Place = tuple[str, int, bytes | None]  # kind, mode, content
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
    "LC_ALL": "C",
}


class PathArgument(Arguments):
    path: str


class Net:
    """An `Undo` and a `Rewind` over a folder, and what a model's calls do to it."""

    def __init__(
        self,
        root: Path,
        store: Path,
        *,
        session: str = "s1",
        unattended: bool = False,
        git: bool = True,
        largest: int = LARGEST,
        recorder: Recorder | None = None,
        past: Past | None = None,
    ) -> None:
        self.root = root
        self.snapshots = Snapshots(root, Repository.find(root) if git else None, store, largest)
        self.undo = Undo(self.snapshots, session, lambda: unattended)
        self.past = past or Past(recorder or NoRecord())
        self.taken_up: list[tuple[Message, ...]] = []
        self.rewind = Rewind(self.undo, self.past, lambda m: self.taken_up.append(tuple(m)))
        self._calls = 0

    async def asks(self, prompt: str = "do it") -> None:
        await self.undo.turn_begins(self.past.turns + 1, prompt)
        self.past.write(TurnStarted(prompt))
        self.past.write(Grew((said(prompt), AssistantMessage("done"))))
        await self.undo.begun()  # tests change files next

    def _bound(self, effect: Effect, arguments: Arguments) -> Bound:
        self._calls += 1
        tool = {Effect.EDIT: change(), Effect.RUN: shell()}.get(effect, look())
        return Bound(ToolCall(f"c{self._calls}", tool.name, "{}"), tool, arguments)

    async def runs(self, command: str, env: dict[str, str] | None = None) -> int:
        bound = self._bound(Effect.RUN, Text(text=command))
        await self.undo.before(bound)
        code = run(self.root, command, env)
        await self.undo.after(bound, ToolResult(""))
        return code

    async def edits(self, path: str, data: bytes | None) -> None:
        bound = self._bound(Effect.EDIT, PathArgument(path=path))
        await self.undo.before(bound)
        place = self.root / path
        if data is None:
            place.unlink()
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        await self.undo.after(bound, ToolResult("", changed=(path,)))

    async def back(
        self, turn: int | str = 1, what: str = "code", *, only_safe: bool = False
    ) -> Rewound:
        name = f"turn {turn}" if isinstance(turn, int) else turn
        point = next(p for p in await self.rewind.points() if p.name == name)
        return await self.rewind.restore(point, what, only_safe=only_safe)  # pyright: ignore[reportArgumentType]

    async def redo(self, what: str = "code") -> Rewound:
        newest = (await self.rewind.points())[0]
        assert newest.name.startswith("r")
        return await self.rewind.restore(newest, what)  # pyright: ignore[reportArgumentType]

    async def close(self) -> None:
        await self.undo.close()


def run(root: Path, command: str, env: dict[str, str] | None = None) -> int:
    """A command as the shell tool runs one, outside of any box."""
    done = subprocess.run(
        ["bash", "-c", command], cwd=root, env=env or ENVIRONMENT, capture_output=True, check=False
    )
    return done.returncode


def git(root: Path, *arguments: str) -> bytes:
    command = ["git", *arguments]
    return subprocess.run(
        command, cwd=root, env=ENVIRONMENT, check=True, capture_output=True
    ).stdout


def state(root: Path) -> dict[bytes, Place]:
    """Every file, link and folder but `.git`: kind, mode and bytes; None for what cannot be read."""
    found: dict[bytes, Place] = {}
    pending = [os.fsencode(root)] if root.exists() else []
    top = len(os.fsencode(root)) + 1
    while pending:
        with suppress(PermissionError), os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.name == b".git":
                    continue
                status = entry.stat(follow_symlinks=False)
                mode = stat.S_IMODE(status.st_mode)
                if entry.is_symlink():
                    target = os.readlink(entry.path)  # noqa: PTH115 - of bytes
                    found[entry.path[top:]] = ("l", 0, target)
                elif entry.is_dir(follow_symlinks=False):
                    found[entry.path[top:]] = ("d", mode, b"")
                    pending.append(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    found[entry.path[top:]] = ("f", mode, _bytes(entry.path))
    return found


def _bytes(path: bytes) -> bytes | None:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - a name of bytes
            return file.read()
    except PermissionError:
        return None


def users(root: Path, folder: Path | None = None) -> dict[str, str]:
    """What is the person's in a repository: digests of HEAD, index, refs, stash, hooks, settings.

    `folder` is git's own folder, where `.git` is not.
    """
    if not (root / ".git").exists():
        return {}
    return {
        os.fsdecode(path): f"{mode:o} {hashlib.sha256(data or b'').hexdigest()}"
        for path, (_, mode, data) in state(folder or root / ".git").items()
        if b"/objects/" not in b"/" + path
    }


def filled(root: Path) -> None:
    """Content of every kind: binary, line ends, odd names, links, modes, empty folders, ignored files."""
    files: dict[bytes, bytes] = {
        b"a.py": b"print('a')\n",
        b"src/b.py": b"import a\r\nprint('b')\r\n",
        b"src/deep/er/c.txt": "f\u00fcr d\u00e9j\u00e0 \u65e5\u672c\n".encode(),
        b"bin/run.sh": b"#!/bin/sh\necho hi\n",
        b"data.bin": bytes(range(256)) * 40,
        b"empty": b"",
        b"no newline": b"last line",
        b"nam\xe9.txt": b"latin name\n",
        b"new\nline": b"x\n",
        b"-rf": b"dash\n",
        "\U0001f600.md".encode(): b"emoji\n",
        b"private.key": b"secret\n",
    }
    for name, data in files.items():
        place = os.path.join(os.fsencode(root), name)  # noqa: PTH118
        os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120
        with open(place, "wb") as file:  # noqa: PTH123
            file.write(data)
    (root / "bin/run.sh").chmod(0o755)
    (root / "private.key").chmod(0o600)
    (root / "link").symlink_to("a.py")
    (root / "folder-link").symlink_to("src")
    (root / "broken").symlink_to("nowhere/at all")
    (root / "empty-folder/inner").mkdir(parents=True)
    (root / "closed").mkdir(mode=0o700)
    (root / "closed/in.txt").write_bytes(b"in\n")


def untracked(root: Path) -> None:
    """What no commit holds: changed, staged, new and ignored files."""
    (root / "a.py").write_bytes(b"print('a, changed and not committed')\n")
    (root / "new.txt").write_bytes(b"never added\n")
    (root / "notes").mkdir()
    (root / "notes/todo.md").write_bytes(b"mine\n")
    (root / ".env").write_bytes(b"KEY=1\n")
    (root / "build").mkdir()
    (root / "build/out.o").write_bytes(b"\x7fELF" * 50)


def workspace(tmp_path: Path, kind: str) -> Path:
    """A folder under git, in a worktree, or without git; with work that is not committed."""
    root = tmp_path / "ws"
    main = tmp_path / "main" if kind == "worktree" else root
    main.mkdir(parents=True)
    if kind != "none":
        git(main, "init", "-q", "-b", "main")
    filled(main)
    (main / ".gitignore").write_bytes(b".env\nbuild/\n")
    if kind != "none":
        git(main, "add", "-A")
        git(main, "commit", "-qm", "one")
        git(main, "branch", "other")
        hook = main / ".git/hooks/post-checkout"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\nexit 0\n")
        hook.chmod(0o755)
        git(main, "checkout", "-q", "other")
        (main / "a.py").write_bytes(b"print('on the other branch')\n")
        git(main, "rm", "-q", "data.bin")
        git(main, "commit", "-qam", "two")
        git(main, "checkout", "-q", "main")
        (main / "a.py").write_bytes(b"stashed\n")
        git(main, "stash", "-q")
    if kind == "worktree":
        git(main, "worktree", "add", "-q", "-b", "tree", str(root), "main")
        (root / "empty-folder/inner").mkdir(parents=True)
    untracked(root)
    if kind != "none":
        git(root, "add", "notes")
    return root
