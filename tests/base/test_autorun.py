import os
from collections.abc import Callable
from pathlib import Path

import pytest

from aoci_agent.base.autorun import autorun_files, changed, is_autorun, runs_later, told_later

CASES = {
    ".vscode/tasks.json": "VS Code",
    "sub/.VSCode/settings.json": "VS Code",
    ".envrc": "direnv",
    ".github/workflows/ci.yml": "GitHub Actions",
    "Makefile": "make",
    "lib/GNUmakefile": "make",
    "package.json": "npm",
    "tests/conftest.py": "pytest",
    ".pre-commit-config.yaml": "pre-commit",
    "pyproject.toml": "Python builds and tests",
    "setup.py": "Python builds",
    ".githooks/pre-push": "git hooks",
    "hooks/post-checkout": "git hooks",
    ".husky/_/x": "git hooks (husky)",
    ".git/hooks/pre-commit": "git",
    "sub/.git/config": "git",
    ".GIT/config": "git",
    ".aoci-agent/config.toml": "aoci-agent",
    ".gitlab-ci.yml": "GitLab CI",
    "build.rs": "cargo",
    ".cargo/config.toml": "cargo",
    "a/Jenkinsfile": "Jenkins",
    "vite.config.ts": "the JavaScript build",
    "x.code-workspace": "VS Code",
    "site/evil.pth": "Python",
    ".mcp.json": "MCP clients",
    "AGENTS.md": "coding agents",
    "docker-compose.yml": "docker compose",
    ".env.local": "programs that load it at start",
}
ORDINARY = (
    "src/app.py",
    "README.md",
    "hooks/useState.ts",
    "docs/makefile.md",
    "vscode/x",
    ".github/x.md",
)


@pytest.mark.gate("T16")
def test_what_others_run_is_known(record_property: Callable[[str, object], None]) -> None:
    assert {path: is_autorun(path) for path in CASES} == CASES
    assert [is_autorun(path) for path in ORDINARY] == [""] * len(ORDINARY)
    record_property("cases", len(CASES) + len(ORDINARY))


def test_changes_around_a_command_are_found(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "Makefile").write_text("all:\n")
    (tmp_path / "package.json").write_text("{}")
    (tmp_path / "node_modules/x").mkdir(parents=True)
    before = autorun_files(tmp_path)
    assert set(before) == {"Makefile", "package.json"}
    times = (tmp_path / "Makefile").stat()
    (tmp_path / "Makefile").write_text("any:\n")
    os.utime(tmp_path / "Makefile", ns=(times.st_atime_ns, times.st_mtime_ns))
    (tmp_path / "sub/conftest.py").touch()
    (tmp_path / "sub/app.py").touch()
    (tmp_path / "node_modules/x/package.json").touch()
    found = changed(before, autorun_files(tmp_path))
    assert found == ("Makefile", "sub/conftest.py")
    assert runs_later(found) == ("Makefile (make)", "sub/conftest.py (pytest)")


def test_all_of_them_are_found_and_a_second_look_judges_nothing_again(tmp_path: Path) -> None:
    for path in (*CASES, *ORDINARY):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    before = autorun_files(tmp_path)
    assert {path: is_autorun(path) for path in before} == CASES
    judged = is_autorun.cache_info().misses
    assert autorun_files(tmp_path) == before
    assert is_autorun.cache_info().misses == judged


@pytest.mark.gate("T16")
def test_a_planted_repository_is_seen(tmp_path: Path) -> None:
    (tmp_path / ".git/hooks").mkdir(parents=True)
    (tmp_path / ".git/config").write_text("")
    before = autorun_files(tmp_path)
    (tmp_path / ".git/hooks/pre-commit").touch()
    (tmp_path / "sub/.git").mkdir(parents=True)
    (tmp_path / "sub/.git/config").touch()
    assert changed(before, autorun_files(tmp_path)) == (".git/hooks/pre-commit", "sub/.git/config")


def test_a_folder_that_is_gone_or_closed_is_passed_over(tmp_path: Path) -> None:
    assert autorun_files(tmp_path / "gone") == {}


def test_many_are_told_in_one_line() -> None:
    assert told_later(()) == ""
    told = told_later([f"{n}/Makefile (make)" for n in range(9)])
    assert told.startswith("changed, and run by other programs later: 0/Makefile (make), ")
    assert told.endswith(" and 4 more")
    assert "\n" not in told
