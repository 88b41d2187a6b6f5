"""A fault at every system call of an edit, made by the real tools: the file is old or new, never else."""

import os
import re
import shutil
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import edit_program as program

from aoci_agent.base.files import Workspace
from aoci_agent.base.replace import PREFIX

MODE = 0o751
FAULTS = ("signal=KILL", *(f"error={e}" for e in ("EIO", "ENOSPC", "EDQUOT", "EROFS", "EACCES")))
# Failing those of threads and memory would test the interpreter; it may still be killed in them.
OF_FILES = re.compile(
    r"open|close|read|write|stat|link|rename|sync|chmod|chown|xattr|lseek|truncate|allocate|access|fcntl"
)
Points = list[tuple[str, int]]  # the name of a system call, and its how-manyeth


def can_trace() -> bool:
    if shutil.which("strace") is None:
        return False
    done = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False)
    return done.returncode == 0


class Bench:
    """A program that edits on request, each time in a child that is traced from its first step."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._log = root.parent / "trace"
        argv = [sys.executable, str(program.__file__)]
        self._program = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def call(self, tool: str, path: str, *inject: str) -> str:
        """What the call came to: "done ...", "refused ...", "bug ..." or "status N" of a killed one."""
        thread = self._ask(f"{self.root}\t{tool}\t{path}")
        argv = ["strace", "-p", thread, "-o", str(self._log), *inject]
        with subprocess.Popen(argv, stderr=subprocess.PIPE) as tracer:
            assert tracer.stderr is not None
            assert b"attached" in tracer.stderr.readline()
            said = self._ask("go")
            if not said.startswith("status"):
                self._answer()
            tracer.stderr.read()
        return said

    def points(self, tool: str, path: str) -> Points:
        """Every system call of a call that goes well."""
        assert self.call(tool, path).startswith("done")
        lines = self._log.read_text("utf-8", "replace").splitlines()
        counts: Counter[str] = Counter()
        points: Points = []
        for name in (match[1] for line in lines if (match := re.match(r"(\w+)\(", line))):
            counts[name] += 1
            points.append((name, counts[name]))
        return points

    def close(self) -> None:
        self._program.communicate(timeout=10)

    def _ask(self, line: str) -> str:
        assert self._program.stdin is not None
        self._program.stdin.write(f"{line}\n".encode())
        self._program.stdin.flush()
        return self._answer()

    def _answer(self) -> str:
        assert self._program.stdout is not None
        return self._program.stdout.readline().decode().strip()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    if not can_trace():
        pytest.skip("strace is not usable here")
    (tmp_path / "project").mkdir()
    bench = Bench(tmp_path / "project")
    try:
        bench.points("edit", prepared(bench.root, "edit", "file"))
    except AssertionError:
        pytest.skip("strace cannot attach to a running program here")
    yield bench
    bench.close()


def prepared(root: Path, tool: str, kind: str) -> str:
    """The old state of one kind of file, and the path a tool is given."""
    for path in root.iterdir():
        path.unlink()
    if tool == "write":
        return "new.py"
    (root / "a.py").write_text(program.OLD)
    (root / "a.py").chmod(MODE)
    if kind == "link":
        (root / "link.py").symlink_to("a.py")
    if kind == "hard link":
        os.link(root / "a.py", root / "twin.py")
    return "link.py" if kind == "link" else "a.py"


def wrong(root: Path, tool: str, kind: str, said: str) -> str:
    """What is not as it must be after a fault, once the next start has swept; "" when all is well."""
    with Workspace(root) as workspace:
        workspace.sweep()
    names = {path.name for path in root.iterdir()}
    changed = {"edit": program.CHANGED, "shrink": program.SHORTER}.get(tool)
    old = program.OLD if changed else None
    new = program.OLD.replace(*changed) if changed else program.WRITTEN
    file = root / ("a.py" if changed else "new.py")
    now = file.read_text() if file.exists() else None
    checks = {
        said: not said.startswith("bug"),
        f"strays: {names}": not any(name.startswith(PREFIX) for name in names),
        f"neither old nor new: {now!r:.200}": now in ((new,) if "done" in said else (old, new)),
        "another mode": not changed or stat.S_IMODE(file.stat().st_mode) == MODE,
        "a split hard link": kind != "hard link" or file.samefile(root / "twin.py"),
        "no link": kind != "link" or (root / "link.py").is_symlink(),
    }
    return "; ".join(problem for problem, is_well in checks.items() if not is_well)


CASES = (
    ("edit", "file"),
    ("edit", "link"),
    ("edit", "hard link"),
    ("shrink", "hard link"),
    ("write", "new"),
)


def everywhere(*_: str) -> bool:
    return True


def run_through(
    bench: Bench, case: tuple[str, str], wanted: Callable[[str, str], bool]
) -> tuple[int, int, list[str]]:
    """How many points failed as asked, how many of them reached a call, and what went wrong."""
    tool, kind = case
    points = bench.points(tool, prepared(bench.root, tool, kind))
    made, felt = 0, 0
    problems: list[str] = []
    for fault in FAULTS:
        for name, number in points:
            is_kill = fault.startswith("signal")
            if not (is_kill or OF_FILES.search(name)) or not wanted(fault, name):
                continue
            path = prepared(bench.root, tool, kind)
            said = bench.call(tool, path, "-e", f"inject={name}:{fault}:when={number}")
            made += 1
            felt += not said.startswith("done")
            if problem := wrong(bench.root, tool, kind, said):
                problems.append(f"{tool} of {kind}, {fault} at {name}:{number}: {problem}")
    return made, felt, problems


@pytest.mark.gate("R01", "R02", "S09")
@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_a_fault_at_the_calls_that_change_something(
    bench: Bench, case: tuple[str, str], record_property: Callable[[str, object], None]
) -> None:
    changing = re.compile(r"write|fsync|rename|unlink|linkat|chmod|truncate|allocate")

    def wanted(fault: str, name: str) -> bool:
        return bool(changing.search(name)) and fault in ("signal=KILL", "error=EIO")

    made, felt, problems = run_through(bench, case, wanted)
    record_property("cases", made)
    assert problems == []
    assert felt > made // 3


@pytest.mark.gate_only
@pytest.mark.gate("R01", "R02", "R12", "S09")
@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_every_fault_at_every_call(
    bench: Bench, case: tuple[str, str], record_property: Callable[[str, object], None]
) -> None:
    made, felt, problems = run_through(bench, case, everywhere)
    record_property("cases", made)
    assert problems == []
    assert felt > made // 3


@pytest.mark.gate("R01", "R02")
def test_a_file_torn_between_two_calls_is_mended_at_the_next_start(bench: Bench) -> None:
    path = prepared(bench.root, "edit", "hard link")
    said = bench.call("edit", path, "-e", "inject=pwrite64:signal=KILL:when=1")
    assert said == "status 9"
    assert (bench.root / path).read_text() == f"{program.OLD}\0\0\0\0"  # space was reserved
    with Workspace(bench.root) as workspace:
        assert workspace.sweep() == 1
    assert (bench.root / path).read_text() == program.OLD


@pytest.mark.gate("R01", control=True)
def test_a_naive_write_is_torn_by_the_same_faults(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    if not can_trace():
        pytest.skip("strace is not usable here")
    naive = "import sys; f = open(sys.argv[1], 'w'); f.write('new' * 9000); f.close()"
    torn = 0
    for number in (1, 2, 3):
        file = tmp_path / str(number)
        file.write_text("old" * 9000)
        inject = f"inject=write:signal=KILL:when={number}"
        argv = ["strace", "-f", "-o", "/dev/null", "-e", "trace=write", "-e", inject]
        subprocess.run([*argv, sys.executable, "-c", naive, str(file)], check=False)
        torn += file.read_text() not in ("old" * 9000, "new" * 9000)
    record_property("cases", 3)
    assert torn > 0
