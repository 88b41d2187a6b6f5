"""One run of the tagged tests, in one pytest with a worker for each processor."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from aoci_agent.base.errors import BadUsage
from aoci_agent.evals.gate.judging import Report, read_report

ROOT = Path(__file__).parents[3]
TIMEOUT = 600  # seconds of one test
_TAGGED = "gate and not live and not model"


def run(ids: Iterable[str], *, quick: bool, hidden: bool) -> Report:
    """Run what is tagged with one of `ids` (all where there are none); pytest's output goes to stderr.

    `quick` skips what is marked gate_only; `hidden` runs it where bubblewrap is not there.
    Raises BadUsage where there are no tests, or pytest wrote no report.
    """
    if not (ROOT / "tests" / "conftest.py").is_file():
        raise BadUsage("there is no folder of tests here", "the gate runs in a checkout only")
    with tempfile.TemporaryDirectory(prefix="aoci-agent-gate-") as folder:
        file = Path(folder) / "report.json"
        argv = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "--dist", "worksteal"]
        argv += ["-m", _TAGGED, "--timeout", str(TIMEOUT), "--gate-report", str(file)]
        argv += ["--gate-ids", ",".join(sorted(ids)), "-p", "no:cacheprovider", "tests"]
        argv += ["--gate-quick"] if quick else []
        prefix = hiding(os.environ) if hidden else []
        ran = subprocess.run([*prefix, *argv], cwd=ROOT, stdout=sys.stderr, check=False)
        if not file.is_file():
            raise BadUsage(f"pytest ended with {ran.returncode} and wrote no report", "see above")
        return read_report(file)


def hiding(env: Mapping[str, str]) -> list[str]:
    """The start of a command line under which every bwrap of PATH is no program.

    It is bubblewrap itself that hides it; where there is none, nothing needs to be hidden.
    """
    folders = os.get_exec_path(dict(env))
    found = [str(path) for folder in folders if os.access(path := Path(folder, "bwrap"), os.X_OK)]
    if not found:
        return []
    # Root keeps its rights: the tests are to meet the same machine, without one program.
    rights = ["--cap-add", "ALL"] if os.geteuid() == 0 else []
    over = [part for path in found for part in ("--bind", "/dev/null", path)]
    return [found[0], "--dev-bind", "/", "/", *rights, "--die-with-parent", *over, "--"]
