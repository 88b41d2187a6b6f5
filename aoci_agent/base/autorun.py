"""Files of a repository that other programs run or obey by themselves, sooner or later.

A command in the sandbox may write them, and what they hold then runs outside of it (safety.md T16).
They cannot be forbidden, since a Makefile is ordinary work; so every change of one is told.
"""

import functools
import os
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from aoci_agent.base.protected import is_git_part, protected_part

_ENTRIES = 5_000  # names looked at around a command, those nearest to the root first
_TOLD = 5
_SKIPPED = frozenset({"node_modules", ".venv", "venv", "__pycache__", "target", ".tox"})

# Folders, at any depth, all of whose files count; in lower case.
FOLDERS: Mapping[str, str] = {
    ".vscode": "VS Code",
    ".devcontainer": "dev containers",
    ".idea": "JetBrains IDEs",
    ".fleet": "JetBrains IDEs",
    ".zed": "Zed",
    ".vim": "Vim",
    ".github/workflows": "GitHub Actions",
    ".github/actions": "GitHub Actions",
    ".circleci": "CircleCI",
    ".buildkite": "Buildkite",
    ".gitlab": "GitLab CI",
    ".woodpecker": "Woodpecker CI",
    ".husky": "git hooks (husky)",
    ".githooks": "git hooks",
    ".claude": "Claude Code",
    ".codex": "Codex",
    ".cursor": "Cursor",
    ".gemini": "Gemini CLI",
    ".opencode": "OpenCode",
    ".cargo": "cargo",
    ".mvn": "Maven",
    ".yarn": "Yarn",
    "node_modules/.bin": "npm",
}
# By the file's name in any folder, in lower case.
NAMED: Mapping[str, str] = {
    ".envrc": "direnv",
    ".env": "programs that load it at start",
    ".mise.toml": "mise",
    "mise.toml": "mise",
    ".tool-versions": "asdf",
    ".autoenv": "autoenv",
    ".exrc": "Vim",
    ".nvimrc": "Vim",
    ".nvim.lua": "Neovim",
    ".dir-locals.el": "Emacs",
    ".gdbinit": "gdb",
    ".lldbinit": "lldb",
    "pre-commit": "git hooks",
    "pre-push": "git hooks",
    "post-checkout": "git hooks",
    "post-commit": "git hooks",
    "post-merge": "git hooks",
    "commit-msg": "git hooks",
    "prepare-commit-msg": "git hooks",
    ".gitattributes": "git",
    ".gitmodules": "git",
    ".pre-commit-config.yaml": "pre-commit",
    "lefthook.yml": "lefthook",
    ".gitlab-ci.yml": "GitLab CI",
    ".travis.yml": "Travis CI",
    "azure-pipelines.yml": "Azure Pipelines",
    "bitbucket-pipelines.yml": "Bitbucket Pipelines",
    "jenkinsfile": "Jenkins",
    ".drone.yml": "Drone CI",
    ".devcontainer.json": "dev containers",
    "makefile": "make",
    "gnumakefile": "make",
    "justfile": "just",
    "taskfile.yml": "task",
    "rakefile": "rake",
    "gemfile": "bundler",
    "cmakelists.txt": "cmake",
    "meson.build": "meson",
    "build.rs": "cargo",
    "package.json": "npm",
    ".npmrc": "npm",
    ".pnpmfile.cjs": "pnpm",
    ".yarnrc": "Yarn",
    ".yarnrc.yml": "Yarn",
    "composer.json": "composer",
    "tsconfig.json": "TypeScript",
    "jsconfig.json": "TypeScript",
    "rust-toolchain": "rustup",
    "rust-toolchain.toml": "rustup",
    "package.swift": "Swift builds",
    ".phpactor.json": "phpactor",
    ".phpactor.yml": "phpactor",
    "build.gradle": "Gradle",
    "build.gradle.kts": "Gradle",
    "settings.gradle": "Gradle",
    "settings.gradle.kts": "Gradle",
    "gradlew": "Gradle",
    "gradle-wrapper.properties": "Gradle",
    "pom.xml": "Maven",
    "mvnw": "Maven",
    "pyproject.toml": "Python builds and tests",
    "setup.py": "Python builds",
    "setup.cfg": "Python builds and tests",
    "hatch_build.py": "Python builds",
    "conftest.py": "pytest",
    "pytest.ini": "pytest",
    "tox.ini": "tox",
    "noxfile.py": "nox",
    "sitecustomize.py": "Python",
    "usercustomize.py": "Python",
    "dockerfile": "docker",
    "compose.yaml": "docker compose",
    "compose.yml": "docker compose",
    "docker-compose.yml": "docker compose",
    "docker-compose.yaml": "docker compose",
    ".mcp.json": "MCP clients",
    "mcp.json": "MCP clients",
    ".aider.conf.yml": "aider",
    "agents.md": "coding agents",
    "claude.md": "coding agents",
    "gemini.md": "coding agents",
    ".cursorrules": "coding agents",
}
# Beginnings and ends of names, in lower case.
BEGINNINGS: Mapping[str, str] = {
    "vite.config.": "the JavaScript build",
    "webpack.config.": "the JavaScript build",
    "rollup.config.": "the JavaScript build",
    "babel.config.": "the JavaScript build",
    "jest.config.": "jest",
    "vitest.config.": "vitest",
    "eslint.config.": "eslint",
    ".eslintrc": "eslint",
    "prettier.config.": "prettier",
    ".prettierrc": "prettier",
    ".env.": "programs that load it at start",
    "dockerfile.": "docker",
}
ENDINGS: Mapping[str, str] = {
    ".pth": "Python",
    ".code-workspace": "VS Code",
    ".mk": "make",
    ".csproj": "MSBuild",
    ".props": "MSBuild",
    ".targets": "MSBuild",
}


@functools.lru_cache(2 * _ENTRIES)  # the same names are asked about around every command
def is_autorun(path: str) -> str:
    """Who runs or obeys a repository path ("GitHub Actions"), or "". Case does not matter."""
    parts = tuple(path.casefold().split("/"))
    protected = protected_part(parts)
    if protected:
        return "git" if is_git_part(protected) else "aoci-agent"
    for at in range(len(parts) - 1):
        for folder in (parts[at], "/".join(parts[at : at + 2])):
            if folder in FOLDERS and len(parts) > at + folder.count("/") + 1:
                return FOLDERS[folder]
    name = parts[-1]
    if name in NAMED:
        return NAMED[name]
    begins = next((who for start, who in BEGINNINGS.items() if name.startswith(start)), "")
    return begins or next((who for end, who in ENDINGS.items() if name.endswith(end)), "")


def runs_later(paths: Iterable[str]) -> tuple[str, ...]:
    """Those of the changed paths that something else will run, each as "path (who)"."""
    found = ((path, is_autorun(path)) for path in sorted(set(paths)))
    return tuple(f"{path} ({who})" for path, who in found if who)


def told_later(later: Sequence[str]) -> str:
    """One line about what `runs_later` gave, for the model and the person; "" for nothing."""
    if not later:
        return ""
    more = f" and {len(later) - _TOLD} more" if len(later) > _TOLD else ""
    return f"changed, and run by other programs later: {', '.join(later[:_TOLD])}{more}"


def autorun_files(root: Path) -> dict[str, tuple[int, ...]]:
    """Where they are now: path to size, times, inode and mode. Takes some 10 ms at most.

    Two of these, around a command, show what it changed (`changed`). Folders of dependencies are
    left out, and so is what lies deeper than the nearest 5,000 names.
    """
    found: dict[str, tuple[int, ...]] = {}
    seen = 0
    folders = deque([""])
    while folders and seen < _ENTRIES:
        folder = folders.popleft()
        inside = bool(is_autorun(f"{folder}/x"))  # then every file of it is
        for entry in _entries(root / folder):
            seen += 1
            path = f"{folder}/{entry.name}" if folder else entry.name
            with suppress(OSError):
                if not entry.is_dir(follow_symlinks=False):
                    if (inside or is_autorun(entry.name)) and not path.endswith(".sample"):
                        found[path] = _state(entry.stat(follow_symlinks=False))
                elif entry.name == ".git":
                    folders.append(f"{path}/hooks")
                    found[f"{path}/config"] = _state((root / path / "config").lstat())
                elif entry.name not in _SKIPPED:
                    folders.append(path)
    return found


def _state(known: os.stat_result) -> tuple[int, ...]:
    times = (known.st_mtime_ns, known.st_ctime_ns)
    return (known.st_size, *times, known.st_ino, known.st_mode)


def changed(
    before: Mapping[str, tuple[int, ...]], after: Mapping[str, tuple[int, ...]]
) -> tuple[str, ...]:
    """The paths that are new or different."""
    return tuple(sorted(path for path, known in after.items() if before.get(path) != known))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
