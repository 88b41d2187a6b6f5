"""On what the gate was run: versions, and which box commands run in here."""

import importlib.metadata
import os
import platform
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from aoci_agent import __version__


def versions(env: Mapping[str, str], root: Path) -> dict[str, str]:
    """Name and version of everything the figures depend on; "missing" where there is none."""
    return {
        "aoci-agent": f"{__version__} {_said(env, 'git', '-C', str(root), 'describe', '--always', '--dirty')}",
        "git": _number(_said(env, "git", "--version")),
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "bubblewrap": _number(_said(env, "bwrap", "--version")),
        "strace": _number(_said(env, "strace", "--version")),
        "Python": platform.python_version(),
        "textual": importlib.metadata.version("textual"),
        "uid": str(os.getuid()),
        "processors": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0),
    }


def _said(env: Mapping[str, str], *argv: str) -> str:
    try:
        ran = subprocess.run(argv, env=dict(env), capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return ran.stdout.strip() if ran.returncode == 0 else ""


def _number(text: str) -> str:
    found = re.search(r"\d+(\.\d+)+", text)
    return found[0] if found else "missing"
