"""Edits and writes through the real tools, in a child of its own for each, its thread named first.

One line of standard input asks for one call: root, tool and path, separated by tabs. The child's
worker thread is told as a number; the next line lets it go. What came of it is the line after.
The worker thread runs nothing but the tool, so that every system call of it belongs to the call.
"""

import asyncio
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from aoci_agent.base.errors import ForModel
from aoci_agent.base.files import Workspace
from aoci_agent.tools.builtin.edit import Edit, EditArguments
from aoci_agent.tools.builtin.write import Write, WriteArguments
from aoci_agent.tools.documents import Documents, Ledger
from aoci_agent.tools.listing import FileList
from aoci_agent.tools.syntax_errors import new_errors
from aoci_agent.tools.tool import ToolResult

OLD = "def old():\n    return 1\n\n\n" + "# some more of the old file\n" * 50
CHANGED = ("    return 1\n", "    return 22222\n")
NEW = OLD.replace(*CHANGED)
SHORTER = ("# some more of the old file\n" * 50, "")
WRITTEN = "def new():\n    return 3\n"


async def _call(root: str, tool: str, path: str) -> ToolResult:
    workspace = Workspace(Path(root))
    documents = Documents(workspace, FileList(workspace), Ledger())
    pool = ThreadPoolExecutor(1)
    loop = asyncio.get_running_loop()
    loop.set_default_executor(pool)
    _say(str(await loop.run_in_executor(pool, threading.get_native_id)))
    os.read(0, 100)  # waits for the tracer
    if tool == "write":
        return await Write(documents).run(WriteArguments(path=path, content=WRITTEN))
    old, new = CHANGED if tool == "edit" else SHORTER
    return await Edit(documents).run(EditArguments(path=path, old=old, new=new))


def _say(text: str) -> None:
    os.write(1, (text.replace("\n", " ") + "\n").encode())


def _child(root: str, tool: str, path: str) -> None:
    try:
        result = asyncio.run(_call(root, tool, path))
        _say(f"done {result.text}")
    except ForModel as error:
        _say(f"refused {error}")
    except BaseException as error:  # noqa: BLE001 - what the test looks for
        _say(f"bug {error!r}")


def main() -> None:
    """Answer until standard input ends."""
    new_errors("a.py", OLD, NEW)  # the grammar is loaded once
    while line := os.read(0, 10_000).decode():
        if "\t" not in line:  # for a child that was killed before it read it
            continue
        child = os.fork()
        if child == 0:
            _child(*line.strip().split("\t"))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        _say(f"status {status}")


if __name__ == "__main__":
    sys.exit(main())
