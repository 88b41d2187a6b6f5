"""The rules of the house: links, sizes, imports, locks, licences, and what is shipped."""

import ast
import importlib.metadata
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "aoci_agent"
PROJECT = PACKAGE / "evals" / "demo" / "project"
LINKS = ("agent", "evals", "policies", "tools", "tui")
LOCKS = sorted(ROOT.glob("requirements*.lock"))
HEAVY = {
    *("litellm", "openai", "numpy", "faiss", "textual", "tiktoken"),
    *("git", "tree_sitter", "httpx", "pydantic"),
}
FILE_CAP = 400
FUNCTION_CAP = 60


def sources(*folders: Path) -> list[Path]:
    found = (path for folder in folders for path in folder.rglob("*.py"))
    return sorted(path for path in found if not path.is_relative_to(PROJECT))


def git(*arguments: str) -> str:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.parametrize("name", LINKS)
def test_a_room_at_the_top_is_a_relative_link_into_the_package(name: str) -> None:
    assert (ROOT / name).readlink() == Path("aoci_agent", name)
    assert (ROOT / name).resolve() == PACKAGE / name
    stored = git("ls-files", "--stage", "--", name)
    assert not stored or stored.startswith("120000 ")


def test_files_stay_under_the_cap() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in sources(PACKAGE, ROOT / "tests")
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > FILE_CAP
    }
    assert not long, f"over {FILE_CAP} lines: {long}"


def test_functions_stay_under_the_cap() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name} has {lines} lines"
        for path in sources(PACKAGE)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_CAP
    ]
    assert not long, "\n".join(long)


@pytest.mark.gate("T28")
def test_the_command_line_imports_nothing_heavy() -> None:
    run = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import aoci_agent.cli"],
        check=True,
        capture_output=True,
        text=True,
    )
    imported = {line.rsplit("|", 1)[-1].strip() for line in run.stderr.splitlines()}
    assert "aoci_agent.cli" in imported
    assert not {name.partition(".")[0] for name in imported} & HEAVY


def requirements(lock: Path) -> Iterator[str]:
    text = lock.read_text(encoding="utf-8").replace("\\\n", " ")
    return (line for line in text.splitlines() if line.strip() and not line.startswith("#"))


@pytest.mark.gate("T28")
@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_pins_everything_and_names_no_place(lock: Path) -> None:
    lines = list(requirements(lock))
    assert lines
    pinned = re.compile(r"[a-z0-9.-]+==[^ ;]+( ; [^-]+.*?)?(\s+--hash=sha256:[0-9a-f]{64})+\s*")
    assert [line for line in lines if not pinned.fullmatch(line)] == []
    assert not re.search(r"://|file:|(?<![\w.])/\w|--(index|find)", lock.read_text("utf-8"))


def test_the_locks_agree() -> None:
    versions: dict[str, set[str]] = {}
    for lock in LOCKS:
        for line in requirements(lock):
            name, _, rest = line.partition("==")
            version, _, marker = rest.split("--hash")[0].partition(";")  # one for each marker
            versions.setdefault(f"{name};{marker.strip()}", set()).add(version.strip())
    assert {name: found for name, found in versions.items() if len(found) > 1} == {}


def runtime_distributions() -> Iterator[importlib.metadata.Distribution]:
    for line in requirements(ROOT / "requirements.lock"):
        name = line.partition("==")[0]
        try:
            yield importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            assert ";" in line, f"{name} is locked for every platform but not installed"


def licences(distribution: importlib.metadata.Distribution) -> str:
    fields = distribution.metadata.json
    classifiers = [text for text in fields.get("classifier", []) if text.startswith("License")]
    # Some put the whole text in `License`; its first line names it.
    first = str(fields.get("license", "")).strip().partition("\n")[0]
    return " | ".join([str(fields.get("license_expression", "")), first, *classifiers])


def test_no_runtime_dependency_has_a_copyleft_licence() -> None:
    copyleft = re.compile(r"\b(A|L)?GPL|General Public License|Affero", re.IGNORECASE)
    found = {
        distribution.name: text
        for distribution in runtime_distributions()
        if copyleft.search(text := licences(distribution))
    }
    # An LGPL dependency would have to be named here and in the README.
    assert found == {}


@pytest.mark.gate("T28")
def test_nothing_runs_by_itself_when_python_starts() -> None:
    site = Path(sysconfig.get_path("purelib"))
    expected = re.compile(r"(_?aoci_agent|distutils-precedence|_virtualenv)\.pth")
    surprising = [path.name for path in site.glob("*.pth") if not expected.fullmatch(path.name)]
    surprising += [path.name for path in site.glob("*customize*")]
    assert surprising == []


def test_the_readme_commands_are_targets() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"\bmake ([a-z-]+)", readme))
    assert {"demo", "test"} <= named
    assert named <= set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))


def test_links_between_documents_lead_somewhere() -> None:
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    broken = [
        f"{document.relative_to(ROOT)}: {target}"
        for document in documents
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8"))
        if not (document.parent / target).exists()
    ]
    assert broken == []


def test_the_wheel_holds_the_tree() -> None:
    wheel = os.environ.get("AOCI_AGENT_TEST_WHEEL")
    if not wheel:
        pytest.skip("no wheel given (make build gives one)")
    with zipfile.ZipFile(wheel) as archive:
        shipped = {name for name in archive.namelist() if ".dist-info/" not in name}
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "aoci_agent")
    tree = {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
    assert shipped == tree
