"""`aoci-agent index build|update|show|stats|pin|unpin` and `search`: the index without any model."""

import json
import sys
from dataclasses import asdict
from functools import partial

from aoci_agent.aoci.files import INDEX_FILE, BuildReport, Changes
from aoci_agent.aoci.lock import ELEMENTS, named
from aoci_agent.aoci.lookup import entries_at, search as look_up
from aoci_agent.aoci.project import project_of
from aoci_agent.aoci.roles import Role
from aoci_agent.aoci.stats import Stats, stats
from aoci_agent.aoci.write import full_line
from aoci_agent.base.errors import BadUsage, Exit, ForModel, ForUser
from aoci_agent.base.files import STATE
from aoci_agent.base.terminal import clean
from aoci_agent.bench import Bench, Progress
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.counting import progress
from aoci_agent.cli.launch import launch_from, path_inside

FINDINGS_SHOWN = 20
CHANGES_SHOWN = 50


def search(bench: Bench, query: str, limit: int, *, as_json: bool) -> int:
    """Print the entries that share most words with the query."""
    bench.store.follow(_progress())
    hits = look_up(bench.store.current, query, limit)
    if as_json:
        print(json.dumps([{"path": hit.path, "score": round(hit.score, 3)} for hit in hits]))
    elif hits:
        print(clean("\n\n".join(full_line(hit.entry) for hit in hits)))
    if not hits:
        print("no entry matches; entries hold names and summaries, not the code", file=sys.stderr)
    return Exit.DONE if hits else Exit.FAILED


def build(arguments: Arguments) -> int:
    """Write the index; exit 1 when the workspace refused it."""
    bench = Bench(launch_from(arguments))
    report = bench.store.build(_progress(), fresh=arguments.fresh)
    if arguments.json:
        print(json.dumps(asdict(report)))
    else:
        _say_built(report)
    return Exit.DONE if report.saved else Exit.FAILED


def update(arguments: Arguments) -> int:
    """Bring the index in step and list what changed; with --fix, settle what `check` can settle."""
    bench = Bench(launch_from(arguments))
    if bench.store.files.own(INDEX_FILE) is None:
        raise ForUser("there is no index to update", "aoci-agent index build")
    repaired = _repair(bench) if arguments.fix else []
    report = bench.store.build(_progress())
    if arguments.json:
        print(json.dumps(asdict(report) | {"repaired": repaired}))
    else:
        for line in (*repaired, *_changed(report.changes)):
            print(clean(line))
        _say_built(report)
    return Exit.DONE if report.saved else Exit.FAILED


def _repair(bench: Bench) -> list[str]:
    """What `check` can settle in the file itself, settled: one line for each."""
    from aoci_agent.aoci.check.repair import repair

    return repair(bench.store)


def pin(arguments: Arguments) -> int:
    """Say that elements of an entry, as written now, are right for the source as it is now."""
    return _repin(arguments, keep=True)


def unpin(arguments: Arguments) -> int:
    """Give elements of an entry back to the program."""
    return _repin(arguments, keep=False)


def _repin(arguments: Arguments, *, keep: bool) -> int:
    bench = Bench(launch_from(arguments))
    given = [name.strip() for name in arguments.elements.split(",") if name.strip()]
    elements = ["T" if name.lower() in ("tag", "t") else name.upper() for name in given]
    if unknown := [name for name in elements if name not in ELEMENTS]:
        raise BadUsage(f"no element {', '.join(unknown)}", "name some of F,R,A,S,tag")
    path = path_inside(bench.workspace, arguments.path)
    settled = bench.store.settle(path, elements, keep=keep)
    names = named(settled) or "nothing"
    print(clean(f"{path}: {names} {'pinned' if keep else 'given back to the program'}"))
    return Exit.DONE


def _say_built(report: BuildReport) -> None:
    place = f"{STATE}/index.aoci" if report.saved else "not saved"
    print(
        f"{place}: {report.entries} entries for {report.indexable} indexable files, {'~' * report.estimated}{report.tokens} tokens, "
        f"{report.derived} derived, {report.reused} reused, {report.seconds:.2f} s"
    )
    for finding in report.findings[:FINDINGS_SHOWN]:
        print(f"  note: {clean(finding)}", file=sys.stderr)
    if len(report.findings) > FINDINGS_SHOWN:
        print(f"  and {len(report.findings) - FINDINGS_SHOWN} more notes", file=sys.stderr)


def _changed(changes: Changes) -> list[str]:
    """One line for each entry, `+` new, `-` gone, `~` changed, `>` moved; a long list is cut."""
    lines = [f"> {old} -> {new}" for old, new in changes.moved]
    for mark, paths in (("+", changes.added), ("-", changes.removed), ("~", changes.changed)):
        lines += [f"{mark} {path}" for path in paths[:CHANGES_SHOWN]]
        if len(paths) > CHANGES_SHOWN:
            lines.append(f"{mark} and {len(paths) - CHANGES_SHOWN} more")
    return lines


def show(arguments: Arguments) -> int:
    """Print the whole index, or the entries of a file or folder."""
    bench = Bench(launch_from(arguments))
    bench.store.follow(_progress())
    index = bench.store.current
    words = " ".join(arguments.words)
    if not words:
        from aoci_agent.aoci.write import write

        print(clean(write(index)), end="")
        return Exit.DONE
    try:
        found = entries_at(index, bench.workspace.relative(words))
    except ForModel as error:
        raise ForUser(str(error), "name a path inside the folder") from error
    if not found:
        raise _no_entry(bench, words)
    print(clean("\n".join(map(full_line, found))))
    return Exit.DONE


def _no_entry(bench: Bench, given: str) -> ForUser:
    """Why there is none: the file may be left out on purpose."""
    path = bench.workspace.relative(given)
    if bench.workspace.exists(path) and not bench.workspace.is_dir(path):
        role, reason = project_of(bench.workspace).role(path)
        told = "counted with its folder (folded)" if role is Role.FOLD else reason or "ignored"
        way_out = "[scope] of .aoci-agent/aoci.toml decides, see docs/index.md"
        return ForUser(f"'{given}' has no entry: {told}", way_out)
    return ForUser(f"no entry for '{given}'", f"aoci-agent search {given}")


def statistics(arguments: Arguments) -> int:
    """Print coverage and token figures."""
    bench = Bench(launch_from(arguments))
    report = bench.store.follow(_progress())
    measured = stats(bench.store.current, report.indexable)
    if arguments.json:
        print(json.dumps(asdict(measured)))
    else:
        print(_stats_table(measured))
    return Exit.DONE


def _stats_table(measured: Stats) -> str:
    rows = [
        ("entries", f"{measured.entries} of {measured.indexable} indexable files"),
        ("coverage", f"{measured.coverage:.1%}"),
        ("tokens", f"{measured.tokens}"),
        ("tokens per entry", f"{measured.per_entry:.1f}"),
    ]
    return "\n".join(f"{name:<18}{value}" for name, value in rows)


def _progress() -> Progress | None:
    shown = progress()
    return None if shown is None else partial(shown, "indexing")
