"""What a started program may know, and where programs are found."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from aoci_agent.base.places import home_of

# An allow-list: a key of a model provider, a token or a proxy password has no way in.
_KEPT = frozenset({
    "PATH", "HOME", "LANG", "LANGUAGE", "TERM", "COLORTERM", "TMPDIR", "USER", "LOGNAME", "SHELL",
    "TZ", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR", "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "NVM_DIR", "JAVA_HOME",
    "GOPATH", "GOROOT", "CARGO_HOME", "RUSTUP_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR",
})  # fmt: skip
# Nobody sits at the terminal of a started program: nothing may ask, page or open an editor.
_FIXED = {
    "CI": "1",
    "DEBIAN_FRONTEND": "noninteractive",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "PYTHONUNBUFFERED": "1",
    **dict.fromkeys(("PAGER", "GIT_PAGER", "MANPAGER"), "cat"),
    **dict.fromkeys(("EDITOR", "GIT_EDITOR", "VISUAL"), "true"),
}


def scrubbed_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for a child: an allow-list of ours, settings for working unattended, `extra`."""
    kept = {
        name: value for name, value in os.environ.items() if name in _KEPT or name.startswith("LC_")
    }
    kept.setdefault("PATH", os.defpath)
    kept["HOME"] = str(home_of(os.environ))  # git fails without one
    return {**kept, **_FIXED, **(extra or {})}


def find_program(name: str, outside: Path | None = None) -> str | None:
    """The absolute path of a program, beside our own Python first, then on PATH; None if there is none.

    Relative entries of PATH are ignored, and nothing inside `outside` (the workspace) is ever
    returned, whether it lies there or only leads there through a link.
    """
    if "/" in name:
        candidates = [Path(name)]
    else:
        folders = [str(Path(sys.executable).parent), *os.get_exec_path()]
        candidates = [Path(folder) / name for folder in folders]
    for candidate in candidates:
        if candidate.is_absolute() and _usable(candidate, outside):
            return str(candidate)
    return None


def _usable(program: Path, outside: Path | None) -> bool:
    try:
        if not (program.is_file() and os.access(program, os.X_OK)):
            return False
        if outside is None:
            return True
        forbidden = outside.resolve()
        places = (program, program.parent.resolve() / program.name, program.resolve())
    except (OSError, RuntimeError):
        return False
    return not any(place.is_relative_to(root) for place in places for root in (forbidden, outside))
