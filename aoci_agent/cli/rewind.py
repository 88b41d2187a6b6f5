"""`aoci-agent rewind`: going back in the newest session of this folder, without opening it."""

import asyncio
import datetime
import os
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from aoci_agent.agent.past import Past
from aoci_agent.agent.record import NoRecord, Recorder, SessionRecord
from aoci_agent.agent.resume import Resumed, find, read
from aoci_agent.agent.rewind import File, Point, Preview, Refused, Rewind, Rewound
from aoci_agent.agent.undo import open_undo
from aoci_agent.base.errors import BadUsage, Exit, ForUser
from aoci_agent.base.git import Repository
from aoci_agent.base.occupied import Occupation
from aoci_agent.base.places import Places
from aoci_agent.base.terminal import clean, one_line
from aoci_agent.bench import work_root
from aoci_agent.cli.arguments import Arguments

_PROMPT = 60  # cells of a question's first words
_PATH = 300


def run(arguments: Arguments) -> int:
    """List, show or do it. Raises Refused where somebody else changed the same files."""
    return asyncio.run(_run(arguments))


async def _run(arguments: Arguments) -> int:
    root, places = work_root(arguments.cwd), Places(os.environ)
    path = find(places.data / "sessions" / places.project(root), arguments.resume or "")
    looks = arguments.listing or arguments.dry_run or arguments.into is not None
    recorder = _held(path, looks=looks)
    past = Past(recorder)
    try:
        session = read(path)
        past.read(path)
        folder, there = _folder(places, root, session)
        if not (there or looks or arguments.what == "conversation"):
            way_out = f"aoci-agent rewind -r {path.stem} --into FOLDER writes the files out"
            raise ForUser(f"nothing is put back: {folder} is gone", way_out)
        repository = Repository.find(folder) if there else None
        undo = open_undo(folder, repository, places, session.session_id, lambda: False)
        if isinstance(recorder, NoRecord) or not there:
            undo.owes_nothing()
        with ExitStack() as held:
            top = repository.root if repository else None
            try:
                for told in undo.news():
                    print(clean(told), file=sys.stderr)
                rewind = Rewind(
                    undo,
                    past,
                    lambda _: None,
                    hold=lambda: held.enter_context(Occupation(places, folder, top)),
                )
                return await _act(arguments, rewind, path)
            finally:
                await undo.close()
    finally:
        past.close()


def _folder(places: Places, root: Path, session: Resumed) -> tuple[Path, bool]:
    """Where the session worked: `root`, or the worktree it had, which is said; whether it is there."""
    worked = session.worktree(places.data, root)
    if worked is None:
        return root, True
    there = worked.is_dir()
    told = f"session {session.session_id} worked in the worktree {worked}"
    print(clean(f"  note: {told}{'' if there else ', which is gone'}"), file=sys.stderr)
    return worked, there


def _held(path: Path, *, looks: bool) -> Recorder:
    """The record, held; for a look at a session that is open elsewhere, none. Raises ForUser."""
    try:
        return SessionRecord(path)
    except ForUser:
        if not looks:
            raise
        return NoRecord()


async def _act(arguments: Arguments, rewind: Rewind, path: Path) -> int:
    points = await rewind.points()
    if arguments.listing:
        _print_points(points)
        return Exit.DONE
    point = _chosen(points, arguments.point, path)
    if arguments.into is not None:
        return await _write_out(rewind, arguments.into, point if arguments.point else None)
    if arguments.dry_run:
        _print_preview(point, await rewind.preview(point))
        return Exit.DONE
    try:
        done = await rewind.restore(point, arguments.what, only_safe=arguments.only_safe)
    except Refused as error:
        _print_conflicts(error.conflicts)
        raise ForUser(error.message, "--only-safe goes back with the other files") from error
    return _print_done(point, done, arguments.what)


def _chosen(points: tuple[Point, ...], word: str, path: Path) -> Point:
    if not points:
        raise BadUsage(f"session {path.stem} has no question to go back to", "aoci-agent -c")
    if not word:
        return points[0]
    for point in points:
        if word in (point.label, point.name):
            return point
    raise BadUsage(f"there is no point '{word}'", "aoci-agent rewind --list")


def _print_points(points: Iterable[Point]) -> None:
    for point in points:
        at = datetime.datetime.fromtimestamp(point.at).strftime("%m-%d %H:%M") if point.at else ""
        files = "1 file " if point.files == 1 else f"{point.files} files"
        what = f"{files:>10}  +{point.added} -{point.removed}"
        print(f"{point.label:>5}  {at:11}  {what:<26}  {one_line(point.words, _PROMPT)}")


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        told = f"{folder} cannot be made: {error.strerror}"
        raise BadUsage(told, "--into takes the name of a new folder") from error
    return folder


async def _write_out(rewind: Rewind, into: Path, point: Point | None) -> int:
    written = await rewind.write_out(_made(into), point)
    when = f"as it was before {point.name}" if point else "as the session left it"
    count = "1 file" if len(written) == 1 else f"{len(written)} files"
    print(clean(f"{count} in {into}, each {when}"))
    return Exit.DONE


def _print_preview(point: Point, preview: Preview) -> None:
    print(f"back to before {point.name}: {one_line(point.prompt, _PROMPT)}")
    if preview.words:
        print(f"  {preview.words}")
    for file in preview.files:
        print(f"  {one_line(file.path, _PATH)}  +{file.added} -{file.removed}")
    for file in (*preview.conflicts, *preview.lost):
        print(f"  not {one_line(file.path, _PATH)}: {file.why}")
    for note in preview.notes:
        print(f"  {note}")


def _print_conflicts(files: Iterable[File]) -> None:
    for file in files:
        print(f"{one_line(file.path, _PATH)}: {file.why}", file=sys.stderr)
        if file.diff:
            print(clean(file.diff), file=sys.stderr)


def _print_done(point: Point, done: Rewound, what: str) -> int:
    count = "1 path" if len(done.files) == 1 else f"{len(done.files)} paths"
    parts = {"code": count, "conversation": "the conversation"}.get(
        what, f"{count} and the conversation"
    )
    undone = "; `aoci-agent rewind` undoes it" if done.files or what != "code" else ""
    missing = f"; not all came back ({len(done.not_back)} below)" if done.not_back else ""
    print(f"back to before {point.name}: {parts}{missing}{undone}")
    for path, why in done.not_back.items():
        print(f"  not {one_line(path, _PATH)}: {why}", file=sys.stderr)
    return Exit.FAILED if done.failed else Exit.DONE
