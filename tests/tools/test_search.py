"""Searching contents and listing files, with ripgrep and without."""

import os
import subprocess
from pathlib import Path

import pytest
from support.desk import Desk

from aoci_agent.base.errors import NotPossible, TryAgain
from aoci_agent.base.process import find_program
from aoci_agent.tools import globs
from aoci_agent.tools.builtin.grep import Grep, GrepArguments
from aoci_agent.tools.listing import FileList


@pytest.fixture(params=["own", "ripgrep"])
def project(request: pytest.FixtureRequest, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A project searched by our own search, and by ripgrep where there is one."""
    if request.param == "own":
        _hide_ripgrep(monkeypatch)
    if request.param == "ripgrep" and find_program("rg") is None:
        pytest.skip("ripgrep is not installed")
    desk.put("src/a.py", "import os\n\ndef open_file():\n    return OS.open()\n")
    desk.put("src/deep/b.ts", "const open = 1\r\nexport default open\r\n")
    desk.put("build/out.py", "open\n")
    desk.put(".github/ci.yml", "run: open\n")
    desk.put(".aoci-agent/index.aoci", "open\n")
    desk.put("data.bin", b"open\x00open")
    desk.put(".gitignore", "build/\n")
    subprocess.run(["git", "init", "-q"], cwd=desk.root, check=True)
    return desk


def _hide_ripgrep(monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [f for f in os.get_exec_path() if not (Path(f) / "rg").exists()]
    monkeypatch.setenv("PATH", os.pathsep.join(folders))


async def test_matches_are_grouped_by_file(project: Desk) -> None:
    result = await project.call("grep", pattern="open")
    assert result.text.splitlines() == [
        ".github/ci.yml",
        "1\trun: open",
        "src/a.py",
        "3\tdef open_file():",
        "4\t    return OS.open()",
        "src/deep/b.ts",
        "1\tconst open = 1",
        "2\texport default open",
    ]
    assert result.summary == "5 matching lines in 3 files"


async def test_where_and_how_to_search(project: Desk) -> None:
    async def grep(**arguments: object) -> list[str]:
        text = (await project.call("grep", **arguments)).text
        return [line for line in text.splitlines() if "\t" not in line]

    assert await grep(pattern="open", glob="*.ts") == ["src/deep/b.ts"]
    assert await grep(pattern="open", glob="src/*.py") == ["src/a.py"]
    assert await grep(pattern="open", path="src/deep") == ["src/deep/b.ts"]
    assert await grep(pattern="open", path="./src/a.py") == ["src/a.py"]
    assert await grep(pattern="open", path=".aoci-agent") == [".aoci-agent/index.aoci"]
    assert await grep(pattern="OPEN") == ["no matches"]
    assert await grep(pattern="OPEN", ignore_case=True, path="src") == ["src/a.py", "src/deep/b.ts"]
    assert await grep(pattern=r"^\s+return \w+\.open\(\)$") == ["src/a.py"]
    assert await grep(pattern=r"open$", glob="*.ts") == ["src/deep/b.ts"]


async def test_look_around_works_too(project: Desk) -> None:
    result = await project.call("grep", pattern=r"open(?=_file)")
    assert result.text == "src/a.py\n3\tdef open_file():"


async def test_no_match_is_an_answer(project: Desk) -> None:
    result = await project.call("grep", pattern="nowhere to be found")
    assert (result.ok, result.text) == (True, "no matches")


async def test_the_limit_is_said(project: Desk) -> None:
    project.put("many.txt", "".join(f"hit {number}\n" for number in range(150)))
    result = await project.call("grep", pattern="hit", limit=3)
    assert result.text.splitlines()[-1] == (
        "[3 of 150 matching lines shown: raise limit, or narrow the search]"
    )
    project.put("long.txt", "".join(f"long {'word ' * 50}{number}\n" for number in range(150)))
    result = await project.call("grep", pattern="long", limit=150)
    assert "of 150 matching lines shown: narrow pattern, path or glob]" in result.text


async def test_more_matches_than_anyone_counts(project: Desk) -> None:
    project.put("many.txt", "hit\n" * 12_000)
    result = await project.call("grep", pattern="hit")
    assert "[100 of more than 10000 matching lines shown" in result.text


async def test_a_bad_pattern_is_explained(project: Desk) -> None:
    with pytest.raises(TryAgain, match=r"not a regular expression: .*escape"):
        await project.call("grep", pattern="open(")
    with pytest.raises(TryAgain, match=r"src/x does not exist"):
        await project.call("grep", pattern="a", path="src/x")
    with pytest.raises(TryAgain, match="empty"):
        await project.call("grep", pattern="")
    with pytest.raises(NotPossible, match="outside"):
        await project.call("grep", pattern="a", path="/etc")


async def test_a_pattern_that_looks_like_an_option(project: Desk) -> None:
    project.put("a.txt", "--files\n")
    assert (await project.call("grep", pattern="--files")).text == "a.txt\n1\t--files"


@pytest.mark.gate("T31")
async def test_a_pattern_that_never_ends_is_stopped(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    _hide_ripgrep(monkeypatch)
    desk.put("a.txt", "a" * 40 + "b\n")
    grep = Grep(desk.workspace, FileList(desk.workspace), seconds=1)
    with pytest.raises(TryAgain, match="stopped after 1 s"):
        await grep.run(GrepArguments(pattern=r"(a+)+(?=c)$"))


async def test_links_out_of_the_workspace_are_not_followed(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _hide_ripgrep(monkeypatch)
    (tmp_path / "secret.txt").write_text("secret\n")
    (desk.root / "link.txt").symlink_to(tmp_path / "secret.txt")
    (desk.root / "folder").symlink_to(tmp_path)
    assert (await desk.call("grep", pattern="secret")).text == "no matches"
    assert (
        await desk.call("glob", pattern="**/secret.txt")
    ).text == "no file matches **/secret.txt"


async def test_glob(project: Desk) -> None:
    async def glob(pattern: str) -> list[str]:
        return (await project.call("glob", pattern=pattern)).text.splitlines()

    assert await glob("*.py") == ["src/a.py"]
    assert await glob("**/*.ts") == ["src/deep/b.ts"]
    assert await glob("src") == ["src/a.py", "src/deep/b.ts"]
    assert await glob("./src/**") == ["src/a.py", "src/deep/b.ts"]
    assert await glob(f"{project.root}/src/*.py") == ["src/a.py"]
    assert await glob("**/*.{py,ts}") == ["src/a.py", "src/deep/b.ts"]
    assert await glob("*.rs") == ["no file matches *.rs"]


async def test_glob_says_its_limit(desk: Desk) -> None:
    for number in range(12):
        desk.put(f"f{number:02}.txt", "")
    result = await desk.call("glob", pattern="*.txt", limit=2)
    assert result.text.splitlines() == [
        "f00.txt",
        "f01.txt",
        "[2 of 12 files shown: narrow the pattern or raise limit]",
    ]


async def test_without_git_the_ignore_file_still_counts(desk: Desk) -> None:
    desk.put(".gitignore", "*.log\nout/\n")
    for path in ("a.log", "out/a.txt", "b.txt", "node_modules/x/c.txt"):
        desk.put(path, "")
    assert (await desk.call("glob", pattern="**")).text == ".gitignore\nb.txt"


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.py", "a/b/c.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("src/**/*.py", "src/b.py", True),
        ("src/**/*.py", "src/a/b/c.py", True),
        ("**/test_*", "a/test_x.py", True),
        ("src/**", "src/a/b", True),
        ("src/", "src/a", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[ab].py", "b.py", True),
        ("[!ab].py", "b.py", False),
        ("{a,b}/*.py", "b/x.py", True),
        ("a{b", "a{b", True),
        ("a.c", "abc", False),
        ("*.PY", "a.py", False),
    ],
)
def test_patterns(pattern: str, path: str, *, matches: bool) -> None:
    assert bool(globs.compiled(pattern).match(path)) is matches


@pytest.mark.gate("T12", "S16")
async def test_files_that_may_hold_secrets_are_left_out_and_said(project: Desk) -> None:
    for name in (".env", "src/server.pem", "conf/credentials.json", ".env.example"):
        project.put(name, "TOKEN=open-sesame\n")
    (project.root / "link.txt").symlink_to(".env")
    result = await project.call("grep", pattern="open-sesame")
    assert result.text.splitlines()[:2] == [".env.example", "1\tTOKEN=open-sesame"]
    assert "[3 files that may hold secrets were not searched" in result.text
    assert "read asks the user]" in result.text
    # Whether anything in them fits is not told either.
    told = [(await project.call("grep", pattern=word)).text for word in ("sesam.X", "TOKE.Y")]
    assert told[0] == told[1]
    for path in (".env", "link.txt", "src/server.pem"):
        text = (await project.call("grep", pattern="open-sesame", path=path)).text
        assert "sesame" not in text
        assert "1 file that may hold secrets was not searched" in text


@pytest.mark.gate("T12", control=True)
async def test_what_is_no_secret_by_name_is_searched(project: Desk) -> None:
    project.put("notes.txt", "TOKEN=open-sesame\n")
    assert "open-sesame" in (await project.call("grep", pattern="sesame")).text
