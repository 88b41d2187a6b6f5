"""Where the agent keeps its own files."""

import hashlib
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from aoci_agent.base.errors import BadUsage


def home_of(env: Mapping[str, str]) -> Path:
    """HOME when it is an absolute path, else what the system knows, else a folder that is not there."""
    known = (env.get("HOME", ""), os.path.expanduser("~"))  # noqa: PTH111 - never raises
    return Path(next((path for path in known if path.startswith("/")), "/nonexistent"))


class Places:
    """Where the agent keeps its own files, outside every repository (XDG, or AOCI_AGENT_HOME)."""

    def __init__(self, env: Mapping[str, str]) -> None:
        home = home_of(env)
        own = env.get("AOCI_AGENT_HOME")
        base = Path(os.path.expanduser(own)) if own else None  # noqa: PTH111 - never raises
        if base is not None and not base.is_absolute():
            raise BadUsage(f"AOCI_AGENT_HOME is not an absolute path: {own}", "start it with /")
        self.config = _place(base, env.get("XDG_CONFIG_HOME"), home / ".config", "config")
        self.data = _place(base, env.get("XDG_DATA_HOME"), home / ".local/share", "data")
        self.cache = _place(base, env.get("XDG_CACHE_HOME"), home / ".cache", "cache")

    @property
    def history_file(self) -> Path:
        """Prompts typed, over all sessions."""
        return self.data / "history.jsonl"

    @property
    def config_file(self) -> Path:
        """The user's settings."""
        return self.config / "config.toml"

    def close_to_others(self) -> None:
        """Make the three folders, for their owner alone: nothing in them can then be reached by others.

        A link, or a config folder that is there already, is the person's own doing and is left.
        Where a folder cannot be made, whoever writes there says so.
        """
        for folder in (self.config, self.data, self.cache):
            with suppress(OSError):
                folder.parent.mkdir(parents=True, exist_ok=True)
                folder.mkdir(mode=0o700, exist_ok=True)
                known = folder.lstat().st_mode
                if folder != self.config and stat.S_ISDIR(known) and known & 0o077:
                    folder.chmod(0o700)

    def project(self, root: Path) -> str:
        """A folder name for a repository: readable, and unique by its path."""
        digest = hashlib.blake2b(os.fsencode(root), digest_size=4).hexdigest()
        return f"{root.name or 'root'}-{digest}"


def _place(own: Path | None, xdg: str | None, default: Path, kind: str) -> Path:
    if own is not None:
        return own / kind
    return (Path(xdg) if xdg and Path(xdg).is_absolute() else default) / "aoci-agent"
