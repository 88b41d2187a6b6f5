"""`aoci-agent index export`: the index of the present files in another tool's layout."""

import os
import sys
from pathlib import Path

from aoci_agent.aoci.export import in_the_way, single, volumes
from aoci_agent.base.errors import BadUsage, Exit, ForUser
from aoci_agent.base.files import atomic_write
from aoci_agent.base.terminal import clean
from aoci_agent.bench import Bench
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.launch import launch_from

_MODE = 0o644


def export(arguments: Arguments) -> int:
    """Write the layout; files somebody else wrote are not replaced."""
    folder = arguments.output
    if folder is None and arguments.layout == "volumes":
        raise BadUsage(
            "the volumes layout is several files", "name a folder: index export --output DIR"
        )
    bench = Bench(launch_from(arguments))
    bench.store.follow()
    write = volumes if arguments.layout == "volumes" else single
    texts = write(bench.store.current, _plain_name(bench.workspace.root.name))
    if folder is None:
        print(clean("".join(texts.values())), end="")
        return Exit.DONE
    _write(texts, folder.expanduser())
    for name in texts:
        print(clean(str(folder / name)))
    print(f"{len(bench.store.current.entries)} entries written", file=sys.stderr)
    return Exit.DONE


def _plain_name(name: str) -> str:
    """The folder's name as one component of a path in a section line."""
    return "".join(c if c.isalnum() or c in "._-" else "-" for c in name) or "project"


def _write(texts: dict[str, str], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        present = {name: folder / name for name in texts if os.path.lexists(folder / name)}
        if links := [
            name for name, path in present.items() if not path.is_file() or path.is_symlink()
        ]:
            raise ForUser(
                f"{folder / links[0]} is not a plain file", "move it away, or name another folder"
            )
        existing = {name: path.read_text("utf-8", "replace") for name, path in present.items()}
        if blocking := in_the_way(texts, existing):
            raise ForUser(
                f"{', '.join(str(folder / name) for name in blocking)}: written or changed by somebody else",
                "move it away, or export to another folder: index export --output DIR",
            )
        for name, text in texts.items():
            atomic_write(folder / name, text.encode("utf-8", "replace"), _MODE)
    except OSError as error:
        raise ForUser(
            f"{folder} cannot be written ({error.strerror})", "name another folder"
        ) from error
