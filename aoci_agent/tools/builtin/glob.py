"""List files by a path pattern."""

from pydantic import Field

from aoci_agent.base.errors import TryAgain
from aoci_agent.base.files import Workspace
from aoci_agent.tools import globs
from aoci_agent.tools.listing import FileList
from aoci_agent.tools.output import fit
from aoci_agent.tools.tool import Arguments, Effect, Preview, ToolResult, prompt

TOKENS = 3_000


class GlobArguments(Arguments):
    """A path pattern and how many paths to show."""

    pattern: str
    limit: int = Field(default=200, ge=1, le=2_000)


class Glob:
    """Paths in order, forward slashes."""

    name = "glob"
    effect = Effect.READ
    arguments = GlobArguments
    description = prompt("glob")

    def __init__(self, workspace: Workspace, files: FileList) -> None:
        self._workspace = workspace
        self._files = files

    def preview(self, arguments: GlobArguments) -> Preview:
        return Preview("text", f"glob {arguments.pattern}")

    async def run(self, arguments: GlobArguments) -> ToolResult:
        pattern = self._pattern(arguments.pattern)
        matches = globs.compiled(pattern)
        paths = [path for path in await self._files.files() if matches.match(path)]
        if not paths:
            return ToolResult(f"no file matches {pattern}", summary="no files")
        shown = paths[: arguments.limit]
        text, count = fit(shown, "\n".join, TOKENS)
        if count < len(paths):
            text += f"\n[{count} of {len(paths)} files shown: narrow the pattern or raise limit]"
        return ToolResult(text, summary=f"{len(paths)} files")

    def _pattern(self, pattern: str) -> str:
        if not pattern.strip():
            raise TryAgain("pattern is empty: use e.g. **/*.py")
        if pattern.startswith("/"):
            return self._workspace.relative(pattern)
        folder = pattern.rstrip("/")
        if folder in {".", "./"}:
            return "**"
        return f"{folder}/**" if self._workspace.is_dir(folder) else pattern
