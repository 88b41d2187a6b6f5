"""From the arguments to a `Launch`: settings merged, place checked."""

import sys
from pathlib import Path
from typing import Any

from aoci_agent.base.errors import BadUsage, ForModel
from aoci_agent.base.files import Workspace
from aoci_agent.base.git import Repository
from aoci_agent.base.places import Places
from aoci_agent.base.terminal import clean, one_line
from aoci_agent.bench import Bench, Launch, work_root
from aoci_agent.cli.arguments import Arguments
from aoci_agent.config import Settings, environment, load_settings


def launch_from(arguments: Arguments) -> Launch:
    """Merge all sources of settings. Raises BadUsage or BadWorkspace."""
    env = environment()
    places = Places(env)
    flags: dict[str, Any] = {
        name: value
        for name in Settings.model_fields
        if (value := getattr(arguments, name, None)) is not None
    }
    root = getattr(arguments, "cwd", None) or Path()
    return Launch(
        root=root,
        settings=load_settings(places, env, flags),
        places=places,
        env=env,
        keep_record=not getattr(arguments, "no_session", False),
        record_to=getattr(arguments, "record_responses", None),
        replay_from=getattr(arguments, "fake_responses", None),
        resume=record_of(arguments, places),
        trust=getattr(arguments, "trust", False),
        attended=not getattr(arguments, "print", False),
        no_sandbox=getattr(arguments, "dangerously_no_sandbox", False),
        worktree=getattr(arguments, "worktree", False),
        chosen=frozenset(flags),
    )


def record_of(arguments: Arguments, places: Places) -> Path | None:
    """The record to go on with, where --continue or --resume asks for one. Raises BadUsage."""
    word: str | None = getattr(arguments, "resume", None)
    if word is None and not getattr(arguments, "go_on", False):
        return None
    from aoci_agent.agent.resume import find

    root = work_root(getattr(arguments, "cwd", None) or Path())
    folder = places.data / "sessions" / places.project(root)
    if word == "":
        raise BadUsage("-r takes the ID of a session, or its beginning", _newest(folder))
    return find(folder, word or "")


def say_resumed(arguments: Arguments) -> None:
    """Where a session is gone on with in a part of a repository, say whose sessions are looked at."""
    if arguments.go_on or arguments.resume is not None:
        root = work_root(arguments.cwd)
        say_part(root, Repository.find(root), arguments)


def _newest(folder: Path) -> str:
    """The newest sessions, with their first words. Raises BadUsage where there is none."""
    from aoci_agent.agent.resume import find, newest
    from aoci_agent.agent.sessions import use_of

    find(folder)
    uses = [(path.stem, use_of(path)) for path in newest(folder)]
    marks = {True: "[interrupted] ", False: ""}
    lines = [f"  {i}  {one_line(f'{marks[use.interrupted]}{use.prompt}', 50)}" for i, use in uses]
    return "\n".join(("-c for the newest, or aoci-agent -r ID with one of these:", *lines))


def bench_from(arguments: Arguments) -> Bench:
    """The folder opened; where it is a part of a repository and nobody named it, that is said."""
    bench = Bench(launch_from(arguments))
    say_part(bench.workspace.root, bench.repository, arguments)
    return bench


def say_part(root: Path, repository: Repository | None, arguments: Arguments) -> None:
    """Where the folder is a part of a repository and nobody named it, say so on stderr."""
    if repository is not None and repository.root != root and arguments.cwd == Path():
        told = f"  note: only {root.relative_to(repository.root).as_posix()}/ is looked at"
        print(clean(f"{told}; all of the repository: --cwd {repository.root}"), file=sys.stderr)


def path_inside(workspace: Workspace, given: str) -> str:
    """A path as typed, relative to the workspace. Raises BadUsage for one that leads out."""
    try:
        return workspace.relative(given)
    except ForModel as error:
        raise BadUsage(str(error), "name a file inside the folder") from error


def prompt_from(arguments: Arguments) -> str:
    """The prompt typed, with piped standard input below it. Raises BadUsage when both are empty."""
    piped = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read()
    text = "\n\n".join(part for part in (arguments.prompt.strip(), piped.strip()) if part)
    word: str | None = getattr(arguments, "resume", None)
    if not text and word:
        told = f"-r takes an ID: '{word}' was taken for one, and -p has no prompt besides"
        raise BadUsage(told, 'aoci-agent -p -r ID "what to do", or -c for the newest session')
    if not text:
        raise BadUsage("-p needs a prompt", 'aoci-agent -p "what to do", or pipe it in')
    return text
