"""`aoci-agent index build|show|stats` and `aoci-agent search`: the index without any model."""

import json
import sys
from dataclasses import asdict

from aoci_agent.aoci.lookup import entries_at, search as look_up
from aoci_agent.aoci.stats import Stats, stats
from aoci_agent.aoci.write import full_line
from aoci_agent.assembly import Bench, Progress
from aoci_agent.base.errors import Exit, ForModel, ForUser
from aoci_agent.base.files import STATE
from aoci_agent.base.terminal import clean
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.launch import launch_from

FINDINGS_SHOWN = 20


def search(arguments: Arguments) -> int:
    """Print the entries that share most words with the query."""
    bench = Bench(launch_from(arguments))
    bench.store.follow(_progress())
    hits = look_up(bench.store.current, " ".join(arguments.words), arguments.limit)
    if arguments.json:
        print(json.dumps([{"path": hit.path, "score": round(hit.score, 3)} for hit in hits]))
    elif hits:
        print(clean("\n\n".join(full_line(hit.entry) for hit in hits)))
    if not hits:
        print("no entry matches; entries hold names and summaries, not the code", file=sys.stderr)
    return Exit.DONE if hits else Exit.FAILED


def build(arguments: Arguments) -> int:
    """Write the index; exit 1 when the workspace refused it."""
    bench = Bench(launch_from(arguments))
    report = bench.store.build(_progress())
    if arguments.json:
        print(json.dumps(asdict(report)))
        return Exit.DONE if report.saved else Exit.FAILED
    place = f"{STATE}/index.aoci" if report.saved else "not saved"
    print(
        f"{place}: {report.entries} entries for {report.indexable} indexable files, {report.tokens} tokens, "
        f"{report.derived} derived, {report.reused} reused, {report.seconds:.2f} s"
    )
    for finding in report.findings[:FINDINGS_SHOWN]:
        print(f"  note: {clean(finding)}", file=sys.stderr)
    if len(report.findings) > FINDINGS_SHOWN:
        print(f"  and {len(report.findings) - FINDINGS_SHOWN} more notes", file=sys.stderr)
    return Exit.DONE if report.saved else Exit.FAILED


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
        raise ForUser(f"no entry for '{words}'", f"aoci-agent search {words}")
    print(clean("\n".join(map(full_line, found))))
    return Exit.DONE


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
    """A counter on stderr when it is a terminal; nothing otherwise."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        if done == total:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        elif done % 25 == 0:
            print(f"\rindexing {done}/{total}", end="", file=sys.stderr, flush=True)

    return show
