"""What a crash of an earlier run left in a workspace: temporary files, and notes of torn files."""

import os
import re
import shutil
import stat
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from aoci_agent.base.inplace import SUFFIX, mend
from aoci_agent.base.replace import PREFIX

_OWN = re.compile(re.escape(PREFIX) + r"(\d{1,10})-[0-9a-f]{16}" + f"({re.escape(SUFFIX)})?")
_STALE_SECONDS = 3600.0


def sweep(root: Path, skip: Collection[str] = (".git",), budget: int = 200_000) -> int:
    """Remove what crashed writers left below `root`, mending what they tore; returns how many.

    A file or folder of a process that still runs is left, unless it is over an hour old. Links are not
    followed, folders of the names in `skip` are not entered, and at most `budget` entries are looked at.
    """
    removed = 0
    pending = [str(root)]
    while pending and budget > 0:
        with suppress(OSError), os.scandir(pending.pop()) as entries:
            for entry in entries:
                budget -= 1
                if _is_stray(entry):
                    removed += _taken(Path(entry.path))
                elif entry.name not in skip and entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
    return removed


def _taken(stray: Path) -> int:
    try:
        if stray.is_dir():
            shutil.rmtree(stray)
            return 1
        if stray.name.endswith(SUFFIX):
            mend(stray)
        stray.unlink(missing_ok=True)
    except OSError:  # it stays for a later start
        return 0
    return 1


def _is_stray(entry: "os.DirEntry[str]") -> bool:
    match = _OWN.fullmatch(entry.name)
    if match is None:
        return False
    status = entry.stat(follow_symlinks=False)
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return False
    age = time.time() - status.st_mtime
    return age > _STALE_SECONDS or not _runs(int(match[1]))


def _runs(pid: int) -> bool:
    with suppress(PermissionError):  # of another person, but it runs
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):  # the second: no process has such a number
            return False
    return True
