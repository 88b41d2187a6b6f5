"""A small project on disk, and the tools of one session in it."""

from pathlib import Path
from typing import Any

from aoci_agent.base.files import Workspace
from aoci_agent.tools.registry import IndexView, builtin_tools
from aoci_agent.tools.tool import AnyTool, Preview, ToolResult


class Desk:
    """Calls tools by name, as the loop does: arguments parsed, then previewed or run."""

    def __init__(self, root: Path, spill_dir: Path, index: IndexView | None = None) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.root = root
        self.spill_dir = spill_dir
        self.workspace = Workspace(root)
        self.tools: dict[str, AnyTool] = {
            tool.name: tool for tool in builtin_tools(self.workspace, index, spill_dir)
        }

    def put(self, path: str, content: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def bytes(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def text(self, path: str) -> str:
        return self.bytes(path).decode()

    def preview(self, tool: str, **arguments: Any) -> Preview:
        return self.tools[tool].preview(self.tools[tool].arguments(**arguments))

    async def call(self, tool: str, **arguments: Any) -> ToolResult:
        return await self.tools[tool].run(self.tools[tool].arguments(**arguments))
