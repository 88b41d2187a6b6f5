"""The release gate. Runs the tagged tests of a checkout and prints the scorecard of safety.

    python -m aoci_agent.evals.gate [LINE ...] [--quick] [--without-bubblewrap] [--json FILE]

LINE is a number of the scorecard, or P for what users of other agents complain of; without one,
everything. Ends with 1 when a line is not at its target, with 2 where there are no tests to run.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from aoci_agent.base.errors import ForUser
from aoci_agent.evals.gate.judging import judge, verdict
from aoci_agent.evals.gate.lines import COMPLAINTS, LINES, NOT_HERE
from aoci_agent.evals.gate.machine import versions
from aoci_agent.evals.gate.running import ROOT, run
from aoci_agent.evals.gate.scorecard import as_json, scorecard

ALL = (*LINES, COMPLAINTS)


def main(argv: Sequence[str] | None = None) -> int:
    """Run, judge, print."""
    chosen = _arguments(argv)
    lines = [line for line in ALL if not chosen.line or line.name in chosen.line]
    ids = {name for line in lines for name in line.ids} if chosen.line else set[str]()
    try:
        report = run(ids, quick=chosen.quick, hidden=chosen.without_bubblewrap)
    except ForUser as error:
        print(f"gate: {error.message}; {error.hint}", file=sys.stderr)
        return 2
    judged = [judge(line, report.tests) for line in lines]
    whole = not chosen.quick and not chosen.line
    passed, words = verdict(judged, report, whole=whole, hidden=chosen.without_bubblewrap)
    found = versions(os.environ, ROOT)
    if chosen.without_bubblewrap:
        found["bubblewrap"] += ", hidden"
    print(", ".join(f"{name} {version}" for name, version in found.items()))
    print(f"sandbox: {report.sandbox}")
    print(*scorecard(judged), sep="\n")
    for name, why in NOT_HERE.items():
        print(f"      {name} cannot happen here: {why}")
    print(words)
    if chosen.json:
        told = as_json(found, judged, words, report)
        chosen.json.write_text(json.dumps(told, indent=1), encoding="utf-8")
    return 0 if passed else 1


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m aoci_agent.evals.gate",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("line", nargs="*", metavar="LINE", help="1 to 16, or P")
    parser.add_argument("--quick", action="store_true", help="leave the long tests out: no release")
    parser.add_argument(
        "--without-bubblewrap", action="store_true", help="judge the partial layer: bwrap is hidden"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything there too")
    chosen = parser.parse_args(argv)
    if wrong := set(chosen.line) - {line.name for line in ALL}:
        parser.error(f"no line {', '.join(sorted(wrong))}: 1 to 16, or P")
    return chosen


if __name__ == "__main__":
    sys.exit(main())
