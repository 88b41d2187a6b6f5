"""A PATH for tests: without a program, or with one that writes down how it is called."""

import os
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path


def without(name: str, folder: Path) -> str:
    """A PATH with every program but one; `folder` is made for it."""
    folder.mkdir()
    for place in reversed(os.get_exec_path()):
        for program in Path(place).glob("*"):
            if program.name != name:
                (folder / program.name).unlink(missing_ok=True)
                (folder / program.name).symlink_to(program)
    return str(folder)


def counted(name: str, folder: Path) -> tuple[str, Callable[[], list[str]]]:
    """A PATH where a program notes its command lines; and those since they were last asked for."""
    real = shutil.which(name)
    assert real is not None
    program, log = folder / name, folder / "calls"
    folder.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >> {shlex.quote(str(log))}\nexec {real} "$@"\n')
    program.chmod(0o755)

    def calls() -> list[str]:
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines

    return f"{folder}{os.pathsep}{os.environ['PATH']}", calls
