"""A dependency that turns bad: what could run unasked is found, and nothing is taken unlocked."""

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BAD_LITELLM = ("1.82.7", "1.82.8")  # stole keys at every start of Python, by a .pth file
OUR_OWN = {"_aoci_agent.pth", "aoci_agent.pth"}  # of the editable installation
KNOWN = {"distutils-precedence.pth"}  # setuptools


def startup_code(folders: list[str]) -> Iterator[str]:
    """What distributions installed in these folders bring that Python runs by itself at every start."""
    for found in importlib.metadata.distributions(path=folders):
        for file in found.files or ():
            if len(file.parts) == 1 and (file.suffix == ".pth" or "customize" in file.name):
                yield file.name


def wheel(folder: Path, name: str, files: dict[str, str]) -> Path:
    info = f"{name}-1.dist-info"
    files = files | {f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n"}
    record = "".join(f"{file},,\n" for file in files) + f"{info}/RECORD,,\n"
    made = folder / f"{name}-1-py3-none-any.whl"
    with zipfile.ZipFile(made, "w") as archive:
        for file, text in (files | {f"{info}/RECORD": record}).items():
            archive.writestr(file, text)
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
    return made


@pytest.mark.gate("T28")
def test_no_wheel_of_the_locks_brings_startup_code_but_one_that_is_known() -> None:
    assert set(startup_code(sys.path)) - OUR_OWN <= KNOWN


@pytest.mark.gate("T28", control=True)
def test_a_wheel_with_startup_code_runs_it_and_is_found(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    evil = f"import pathlib; pathlib.Path({str(canary)!r}).touch()\n"
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel(tmp_path, "evil", {"evil_init.pth": evil})) as archive:
        archive.extractall(site)
    start = f"import site; site.addsitedir({str(site)!r})"
    subprocess.run([sys.executable, "-I", "-c", start], check=True)
    assert canary.exists()
    assert list(startup_code([str(site)])) == ["evil_init.pth"]


@pytest.mark.gate("T28")
def test_a_wheel_whose_hash_is_not_locked_is_not_installed(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_text(f"good==1 --hash=sha256:{'0' * 64}\n")
    wheel(tmp_path, "good", {"good.py": ""})
    assert "hash" in pip(tmp_path, "--require-hashes", "-r", str(lock)).casefold()
    lock.write_text("good==1\n")
    assert "hash" in pip(tmp_path, "--require-hashes", "-r", str(lock)).casefold()
    assert not (tmp_path / "into").exists()


@pytest.mark.gate("T28", control=True)
def test_without_hashes_it_would_be(tmp_path: Path) -> None:
    wheel(tmp_path, "good", {"good.py": ""})
    pip(tmp_path, "good")
    assert (tmp_path / "into" / "good.py").exists()


def pip(folder: Path, *words: str) -> str:
    """What pip said; only wheels of `folder` are there."""
    argv = [
        sys.executable,
        "-I",
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--no-index",
    ]
    argv += ["--find-links", str(folder), "--target", str(folder / "into"), *words]
    return subprocess.run(argv, capture_output=True, text=True, check=False).stderr


@pytest.mark.gate("T28")
def test_the_makefile_installs_nothing_that_is_not_locked() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    assert re.search(r"^INSTALL := .*--require-hashes --only-binary :all:$", text, re.MULTILINE)
    unlocked = [
        line.strip()
        for line in text.splitlines()
        if re.search(r"pip (install|download|wheel)\b", line)
        and not re.search(r"--require-hashes|--no-index", line)
    ]
    # The one that writes the locks; it is pinned, and what it writes is read before it is used.
    assert len(unlocked) == 1
    assert unlocked[0].endswith("$(UV)")
    assert re.search(r"^UV := uv==[\d.]+$", text, re.MULTILINE)
    # Young releases are left alone for a week.
    assert "--exclude-newer $$(cat $(WORK)/lock/until)" in text
    assert "timedelta(7)" in text


@pytest.mark.gate("T28")
def test_the_releases_of_litellm_that_stole_keys_can_never_come_back() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (wanted,) = (line for line in project["dependencies"] if line.startswith("litellm"))
    assert all(f"!={version}" in wanted for version in BAD_LITELLM)
    locked = re.findall(
        r"^litellm==(\S+)", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE
    )
    assert locked
    assert not set(locked) & set(BAD_LITELLM)


@pytest.mark.gate("T28")
def test_litellm_is_imported_when_it_is_needed_and_in_one_module() -> None:
    at: dict[str, list[int]] = {}
    for path in sorted((ROOT / "aoci_agent").rglob("*.py")):
        if "litellm" in (text := path.read_text(encoding="utf-8")):
            for column in _importing(text):
                at.setdefault(path.name, []).append(column)
    assert set(at) == {"litellm_worker.py"}
    assert all(at["litellm_worker.py"]), "not when the module itself is imported"


def _importing(text: str) -> Iterator[int]:
    """The columns at which litellm is imported."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        if any(name.partition(".")[0] == "litellm" for name in names):
            yield node.col_offset
