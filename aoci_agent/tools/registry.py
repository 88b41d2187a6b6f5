"""All tools, built with what they share."""

from pathlib import Path

from aoci_agent.base.box import Box, Unboxed
from aoci_agent.base.files import Workspace
from aoci_agent.tools.builtin.bash import Bash
from aoci_agent.tools.builtin.definition import Definition
from aoci_agent.tools.builtin.edit import Edit
from aoci_agent.tools.builtin.glob import Glob
from aoci_agent.tools.builtin.grep import Grep
from aoci_agent.tools.builtin.index import IndexTool, IndexView
from aoci_agent.tools.builtin.read import Read
from aoci_agent.tools.builtin.references import References
from aoci_agent.tools.builtin.search import Search
from aoci_agent.tools.builtin.symbols import Symbols
from aoci_agent.tools.builtin.test import TestTool
from aoci_agent.tools.builtin.todo import Todo
from aoci_agent.tools.builtin.write import Write
from aoci_agent.tools.documents import Documents, Ledger
from aoci_agent.tools.listing import FileList
from aoci_agent.tools.lookups import Lookups
from aoci_agent.tools.tool import AnyTool

__all__ = ["IndexView", "builtin_tools"]


def builtin_tools(
    workspace: Workspace,
    index: IndexView | None,
    spill_dir: Path,
    lookups: Lookups | None = None,
    box: Box | None = None,
    path: str = "",
) -> tuple[AnyTool, ...]:
    """The tools of one session, in the order the model is shown them.

    `spill_dir` takes outputs that were cut; it lies outside the workspace. Without `lookups` the
    tools that look into the views are there, and say what to use instead. Commands run in `box`,
    which gives them `path` for their PATH where it is not ours.
    """
    box = box or Unboxed()
    files = FileList(workspace)
    documents = Documents(workspace, files, Ledger())
    return (
        Read(documents),
        Write(documents),
        Edit(documents),
        Bash(workspace, spill_dir, box),
        TestTool(workspace, spill_dir, box, path),
        Grep(workspace, files),
        Glob(workspace, files),
        IndexTool(workspace, index),
        Search(lookups),
        Symbols(lookups),
        Definition(lookups),
        References(lookups),
        Todo(),
    )
