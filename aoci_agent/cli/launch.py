"""From the arguments to a `Launch`: settings merged, place checked."""

import sys
from pathlib import Path
from typing import Any

from aoci_agent.base.errors import BadUsage, ForModel
from aoci_agent.base.files import Workspace
from aoci_agent.base.places import Places
from aoci_agent.base.terminal import clean
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
        resume=_record_of(arguments, places, root),
        chosen=frozenset(flags),
    )


def _record_of(arguments: Arguments, places: Places, root: Path) -> Path | None:
    """The record to go on with, where --continue or --resume asks for one. Raises BadUsage."""
    word: str | None = getattr(arguments, "resume", None)
    if word is None and not getattr(arguments, "go_on", False):
        return None
    from aoci_agent.agent.resume import find

    folder = places.data / "sessions" / places.project(work_root(root))
    if word == "":
        newest = find(folder).stem
        raise BadUsage("--resume needs the beginning of a session's id", f"the newest is {newest}")
    return find(folder, word or "")


def bench_from(arguments: Arguments) -> Bench:
    """The folder opened; where it is a part of a repository and nobody named it, that is said."""
    bench = Bench(launch_from(arguments))
    root, repository = bench.workspace.root, bench.repository
    if repository is not None and repository.root != root and arguments.cwd == Path():
        told = f"  note: only {root.relative_to(repository.root).as_posix()}/ is looked at"
        print(clean(f"{told}; all of the repository: --cwd {repository.root}"), file=sys.stderr)
    return bench


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
    if not text:
        raise BadUsage("-p needs a prompt", 'aoci-agent -p "what to do", or pipe it in')
    return text
