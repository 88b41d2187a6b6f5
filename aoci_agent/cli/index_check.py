"""`aoci-agent index check` and `index hook`: the index against the files, in a terminal, a hook or CI."""

import shlex
import sys
from collections.abc import Collection
from pathlib import Path

from aoci_agent.aoci.check.finding import Severity
from aoci_agent.aoci.check.formats import FORMATS
from aoci_agent.aoci.check.run import check as check_all
from aoci_agent.base.errors import BadUsage, Exit, ForModel, ForUser, NotPossible
from aoci_agent.base.files import STATE
from aoci_agent.base.git import Repository
from aoci_agent.base.process import find_program
from aoci_agent.bench import Bench
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.launch import launch_from

MARK = (
    "# aoci-agent: checks the index of staged files; remove with: aoci-agent index hook uninstall"
)
CI = """# GitHub Actions, as a step after checkout (fetch-depth: 0) and an install of aoci-agent:
      - name: The index is true
        run: aoci-agent index check --since "${{ github.base_ref && format('origin/{0}', github.base_ref) || 'HEAD~1' }}" --format github

# GitLab CI:
index:
  script:
    - aoci-agent index check --since "${CI_MERGE_REQUEST_DIFF_BASE_SHA:-HEAD~1}"

# Anywhere: `aoci-agent index check` exits with 1 on errors, 2 when it cannot check;
# `--format sarif` is for code scanning. No model is asked and nothing of the repository runs.
"""


def check(arguments: Arguments) -> int:
    """Print what was found; exit 1 for errors, 2 where the index cannot be checked."""
    bench = Bench(launch_from(arguments))
    report = check_all(bench.store, bench.workspace, _selection(bench, arguments))
    print(FORMATS[arguments.format](report))
    behind = arguments.staged and _is_unstaged(bench)
    if behind:
        print(f"{STATE} has changes that are not staged: git add {STATE}", file=sys.stderr)
    return Exit.FAILED if behind or report.count(Severity.ERROR) else Exit.DONE


def _is_unstaged(bench: Bench) -> bool:
    """Whether the index was checked as it is on disk, and the commit would hold another."""
    folder = (bench.workspace.root / STATE).as_posix()
    assert bench.repository is not None
    return bool(bench.repository.git("diff", "--name-only", "-z", "--", folder))


def _selection(bench: Bench, arguments: Arguments) -> Collection[str] | None:
    """The paths findings are wanted about, None for all."""
    if arguments.since is not None and arguments.staged:
        raise BadUsage("--since and --staged exclude each other", "give one of them")
    try:
        chosen = [bench.workspace.relative(path) for path in arguments.paths]
    except ForModel as error:
        raise BadUsage(str(error), "name paths inside the folder") from error
    known = bench.store.on_disk().by_path
    for path in chosen:
        if path and not bench.workspace.exists(path) and path not in known:
            raise BadUsage(f"no file and no entry '{path}'", "name a path inside the folder")
    if arguments.since is None and not arguments.staged:
        return None if not chosen or "" in chosen else chosen
    changed = _changed(bench, arguments.since)
    if not chosen or "" in chosen:
        return changed
    return [p for p in changed if any(p == c or p.startswith(f"{c}/") for c in chosen)]


def _changed(bench: Bench, since: str | None) -> list[str]:
    """Files that differ from a commit, or are staged, relative to the folder."""
    repository = bench.repository
    if repository is None:
        raise no_repository(bench, "check without --since and --staged")
    names = ["--name-only", "-z", "--no-renames"]
    try:
        if since is None:
            listed = repository.git("diff", "--cached", *names)
        else:
            base = repository.commit(since)
            if not base:
                raise NotPossible("no such commit")
            listed = repository.git("diff", *names, base, "--")
            listed += repository.git("ls-files", "-z", "--others", "--exclude-standard")
    except NotPossible as error:
        way_out = "name a commit this clone has (a shallow clone lacks older ones)"
        raise BadUsage(f"no commit '{since}' here", way_out) from error
    folder = bench.workspace.root.relative_to(repository.root).as_posix()
    prefix = "" if folder == "." else f"{folder}/"
    inside = (name for name in listed.split("\0") if name.startswith(prefix))
    return sorted({name.removeprefix(prefix) for name in inside if name})


def no_repository(bench: Bench, way_out: str) -> BadUsage:
    """What to raise where git is needed: it may be git itself that is missing."""
    if find_program("git", outside=bench.workspace.root) is None:
        return BadUsage("the program git was not found", "install git, or put it into PATH")
    return BadUsage("there is no git repository here", way_out)


def hook(arguments: Arguments) -> int:
    """Install or remove the pre-commit hook, or print how to check in CI."""
    if arguments.step == "ci":
        print(CI, end="")
        return Exit.DONE
    bench = Bench(launch_from(arguments))
    if bench.repository is None:
        raise no_repository(bench, "git init")
    folder, elsewhere = bench.repository.hooks()
    place = folder / "pre-commit"
    if arguments.step == "uninstall":
        return _uninstall(place)
    line = f"aoci-agent index check --staged --cwd {shlex.quote(_inner(bench))}"
    if elsewhere:
        way_out = f"add this line to your pre-commit hook there: {line}"
        raise ForUser(f"git takes hooks from {elsewhere} (core.hooksPath)", way_out)
    return _install(place, line)


def _inner(bench: Bench) -> str:
    """The folder the index is about, from the top of the work tree, where hooks run."""
    assert isinstance(bench.repository, Repository)
    return bench.workspace.root.relative_to(bench.repository.root).as_posix()


def _install(place: Path, line: str) -> int:
    known = _read(place)
    if known is not None and MARK not in known:
        raise ForUser(f"{place} is another hook", f"add this line to it: {line}")
    program = shlex.quote(str(Path(sys.argv[0]).resolve()))
    script = f"""#!/bin/sh
{MARK}
program=$(command -v aoci-agent || echo {program})
if [ ! -x "$program" ]; then
  echo "aoci-agent is not found: the index was not checked" >&2
  exit 0
fi
exec "$program"{line.removeprefix("aoci-agent")}
"""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(script, "utf-8")
        place.chmod(0o755)
    except OSError as error:
        raise ForUser(f"{place} cannot be written: {error.strerror}", "check its folder") from error
    print(f"{place}: checks the index of staged files before each commit")
    return Exit.DONE


def _uninstall(place: Path) -> int:
    known = _read(place)
    if known is None:
        print("no pre-commit hook to remove")
    elif MARK not in known:
        raise ForUser(f"{place} is another hook", "edit it by hand")
    else:
        place.unlink()
        print(f"{place} removed")
    return Exit.DONE


def _read(place: Path) -> str | None:
    try:
        return place.read_text("utf-8", "replace")
    except FileNotFoundError:
        return None
