"""`aoci-agent views build|status|verify`: the derived views without any model."""

import json
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from aoci_agent.base.errors import BadUsage, Exit, ForUser
from aoci_agent.base.terminal import clean
from aoci_agent.bench import Bench
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.counting import progress
from aoci_agent.cli.launch import bench_from
from aoci_agent.cli.views_arguments import LAST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aoci_agent.views.verify import Account, Transition, Way


def build(arguments: Arguments) -> int:
    """Bring the views in step and keep them; exit 1 when one of them cannot be had."""
    from aoci_agent.views.status import lines_of, status_of

    bench = bench_from(arguments)
    views = bench.views
    names = _chosen(list(views.held), arguments.views)
    started = time.perf_counter()
    if arguments.fresh:
        freshness = views.rebuild(*names, progress=progress())
    else:
        freshness = views.fresh(*names, progress=progress())
    views.publish()
    seconds = time.perf_counter() - started
    told = status_of(views)
    views.close()
    for note in freshness.notes:
        print(f"  note: {clean(note)}", file=sys.stderr)
    if arguments.json:
        print(json.dumps(told.as_json() | {"elapsed": round(seconds, 3)}))
    else:
        print(clean("\n".join(lines_of(told))))
        print(f"{seconds:.2f} s")
    return Exit.FAILED if freshness.behind else Exit.DONE


def status(arguments: Arguments) -> int:
    """Print what is kept, how old it is, and what it costs; exit 1 for damage found."""
    from aoci_agent.views.status import lines_of, status_of

    views = bench_from(arguments).views
    told = status_of(views, verify=arguments.verify)
    views.close()
    for note in told.notes:
        print(f"  note: {clean(note)}", file=sys.stderr)
    print(json.dumps(told.as_json()) if arguments.json else clean("\n".join(lines_of(told))))
    damaged = any(view.told.startswith("damaged") for view in told.views.values())
    return Exit.FAILED if damaged else Exit.DONE


def verify(arguments: Arguments) -> int:
    """Compare updates with rebuilds; exit 1 when one differs. What failed is not used here again."""
    from aoci_agent.views.source import Commit
    from aoci_agent.views.standard import standard_ways
    from aoci_agent.views.verify import verify as verified

    bench = bench_from(arguments)
    repository, root = bench.repository, bench.workspace.root
    if repository is None:
        raise ForUser("there is no git history to verify on", "start in a git repository")
    transitions = _transitions(bench, arguments)
    ways = _available(standard_ways(), arguments.views)
    show = progress()
    accounts = verified(
        ways,
        transitions,
        lambda commit: Commit(repository, root, commit),
        None if show is None else partial(show, "verifying"),
    )
    _keep_proofs(bench, accounts)
    if arguments.json:
        print(json.dumps([_account_as_json(account) for account in accounts]))
    else:
        for account in accounts:
            print(clean("\n".join(_account_lines(account))))
    return Exit.DONE if all(account.holds for account in accounts) else Exit.FAILED


def _transitions(bench: Bench, arguments: Arguments) -> "list[Transition]":
    from aoci_agent.aoci.versions import Versions
    from aoci_agent.views.verify import newest_transitions

    assert bench.repository is not None
    given = arguments.commits
    last = LAST if arguments.last is None else arguments.last
    if (given and (len(given) != 2 or arguments.last is not None)) or last < 1:
        raise BadUsage("name two commits, or --last N", "aoci-agent views verify HEAD~5 HEAD")
    versions = Versions(bench.repository, bench.workspace.root)
    if given:
        return [(versions.commit(given[0]), versions.commit(given[1]))]
    found = newest_transitions(bench.repository, last, versions.commit("HEAD"))
    if not found:
        raise ForUser("no commit changes a source file", "aoci-agent views verify A B")
    return found


def _available(ways: "list[Way]", wanted: list[str] | None) -> "list[Way]":
    """The ways whose parts are installed; what is left out is said. Raises BadUsage for an unknown one."""
    names = _chosen(list(dict.fromkeys(way.view for way in ways)), wanted)
    found: list[Way] = []
    for way in ways:
        if way.view in names:
            try:
                way.make()
            except ForUser as error:
                print(f"  note: {way.name} is left out: {error.message}", file=sys.stderr)
            else:
                found.append(way)
    return found


def _keep_proofs(bench: Bench, accounts: "Sequence[Account]") -> None:
    from aoci_agent.views import proofs
    from aoci_agent.views.maintain import FOLDER
    from aoci_agent.views.manifest import config_digest

    for account in accounts:
        if account.way.standard:
            results = {trial.told: not trial.difference for trial in account.trials}
            config = config_digest(account.way.make().config)
            try:
                proofs.keep(bench.cache / FOLDER, account.way.view, config, results)
            except OSError as error:
                print(f"  note: the result is not kept: {error.strerror}", file=sys.stderr)


def _account_lines(account: "Account") -> list[str]:
    equal, trials = account.equal, account.trials
    line = f"{account.way.name:<14} {len(equal)}/{len(trials)} equal"
    if equal:
        updating = sum(trial.updating for trial in equal)
        rebuilding = sum(trial.rebuilding for trial in equal)
        line += f", update {updating:.2f} s, rebuild {rebuilding:.2f} s, {account.speed_up:.1f} times faster (median)"
    if len(trials) > 1:
        line += f", in a row: {account.row or 'equal'}"
    return [line, *(f"  {t.told}: {t.difference}" for t in trials if t.difference)]


def _account_as_json(account: "Account") -> dict[str, Any]:
    trials = [
        {
            "transition": list(trial.transition),
            "difference": trial.difference,
            "update_seconds": round(trial.updating, 6),
            "rebuild_seconds": round(trial.rebuilding, 6),
        }
        for trial in account.trials
    ]
    return {
        "way": account.way.name,
        "equal": len(account.equal),
        "of": len(account.trials),
        "speed_up": round(account.speed_up, 2),
        "in_a_row": account.row,
        "trials": trials,
    }


def _chosen(known: list[str], wanted: list[str] | None) -> list[str]:
    for name in wanted or ():
        if name not in known:
            raise BadUsage(f"there is no view '{name}'", f"views are {', '.join(known)}")
    return wanted or known
