"""A person's home, an agent that runs, and a workspace: what the sandbox's tests attack."""

import hashlib
import json
import os
import stat
import subprocess
import sys
import uuid
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

SUPPORT = Path(__file__).parent
KEY = "sk-live-0123456789abcdef"


@dataclass
class World:
    """Made by `world`; the home is what HOME names meanwhile."""

    home: Path
    root: Path
    victim: "subprocess.Popen[bytes]"
    told: dict[str, object]
    log: Path
    shared: Path

    @property
    def config(self) -> Path:
        return self.home / ".config/aoci-agent"

    @property
    def data(self) -> Path:
        return self.home / ".local/share/aoci-agent"

    @property
    def cache(self) -> Path:
        return self.home / ".cache/aoci-agent"

    @property
    def own(self) -> tuple[Path, ...]:
        return (self.config, self.data, self.cache)

    @property
    def attack(self) -> list[str]:
        """The command line of all attacks; it prints those that worked as JSON."""
        program = self.root / "escapes.py"
        return [sys.executable, "-I", "-S", str(program), json.dumps(self.told)]

    @property
    def heard(self) -> set[str]:
        """What reached the agent: its sockets and signals."""
        return {line.split()[0] for line in self.log.read_text().splitlines()}

    def digest(self) -> str:
        """Of all that lies outside the workspace, and of git's and the agent's own in it."""
        protected = [self.root / ".git", self.root / ".aoci-agent"]
        return digest(self.home, self.root) + "".join(digest(path) for path in protected)


@contextmanager
def world(base: Path, root: Path | None = None) -> Generator[World]:
    """A world under `base`; the workspace is `root`, else a folder of its home with a repository."""
    home = base / "home"
    root = root or home / "work" / "project"
    for folder in (".ssh", ".config/aoci-agent", ".local/share/aoci-agent", ".cache/aoci-agent"):
        (home / folder).mkdir(parents=True, mode=0o700)
    (home / ".cargo/bin").mkdir(parents=True)
    root.mkdir(parents=True, exist_ok=True)
    files = {
        ".ssh/id_ed25519": "PRIVATE KEY",
        ".config/aoci-agent/config.toml": 'mode = "ask"\n',
        ".cargo/credentials.toml": "token = 'x'\n",
        ".cargo/bin/cargo": "#!/bin/sh\necho cargo of the home\n",
        **dict.fromkeys((".bashrc", ".profile", ".netrc", ".inputrc", ".vimrc", ".gitconfig"), "x"),
    }
    for name, text in files.items():
        (home / name).write_text(text)
    (home / ".gitconfig").write_text("[user]\n\tname = A\n\temail = a@example.org\n")
    (home / ".cargo/bin/cargo").chmod(0o755)
    if not (root / ".git").exists():
        git("init", "-q", cwd=root)
    (root / "escapes.py").write_text((SUPPORT / "escapes.py").read_text())
    abstract, shared = f"agent-{uuid.uuid4().hex}", Path("/dev/shm") / f"test-{uuid.uuid4().hex}"
    sockets = [home / "a.sock", home / ".cargo/a.sock"]
    log = base / "agent.log"
    log.touch()
    victim = subprocess.Popen(
        [
            *(sys.executable, "-I", "-S", str(SUPPORT / "victim.py"), "agent-of-the-test"),
            *(str(log), abstract, *map(str, sockets)),
        ],
        env={"AGENT_KEY": KEY},
        stdout=subprocess.PIPE,
    )
    try:
        assert victim.stdout is not None
        port = int(victim.stdout.readline())
        told: dict[str, object] = {
            "home": str(home),
            "root": str(root),
            "config": str(home / ".config/aoci-agent"),
            "data": str(home / ".local/share/aoci-agent"),
            "git": str(root / ".git"),
            "victim": victim.pid,
            "port": port,
            "sockets": [str(one) for one in sockets],
            "abstract": abstract,
            "key": KEY,
            "shared": shared.name,
        }
        yield World(home, root, victim, told, log, shared)
    finally:
        victim.kill()
        victim.wait()
        assert victim.stdout is not None
        victim.stdout.close()
        shared.unlink(missing_ok=True)


def digest(folder: Path, but: Path | None = None) -> str:
    """Of names, kinds, modes, times and bytes below a folder; "" where there is none."""
    if not os.path.lexists(folder):
        return ""
    found = hashlib.sha256()
    for path in sorted([folder, *folder.rglob("*")]):
        if but is not None and (path == but or but in path.parents or path in but.parents):
            continue
        if "caches" in path.parts or path.name in ("box", "mountpoints") or "tested" in path.name:
            continue
        if "/box/tmp" in str(path):  # what commands of a session may write, as they may the caches
            continue
        known = path.lstat()
        times = (known.st_mtime_ns,) if not stat.S_ISDIR(known.st_mode) else ()
        found.update(repr((str(path), known.st_mode, known.st_nlink, times)).encode())
        if stat.S_ISREG(known.st_mode):
            with suppress(OSError):
                found.update(path.read_bytes())
    return found.hexdigest()


def git(*arguments: str, cwd: Path) -> None:
    """Run git with an identity and without the person's settings."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(cwd),
        **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "A"),
        **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "a@example.org"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "init.defaultBranch",
        "GIT_CONFIG_VALUE_0": "main",
    }
    subprocess.run(["git", *arguments], cwd=cwd, env=env, check=True, capture_output=True)
