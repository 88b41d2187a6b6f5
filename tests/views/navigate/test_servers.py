"""Where servers come from, what they are started with, and what they must not see."""

import json
from pathlib import Path

from aoci_agent.views.navigate.compile_commands import prepare
from aoci_agent.views.navigate.host import outside
from aoci_agent.views.navigate.servers import SERVERS, Launch, found, group_of, launch_of, tsserver

ROWS = {row.name: row for row in SERVERS}


def test_every_row_says_what_it_is() -> None:
    assert len(ROWS) == len(SERVERS)
    assert all(row.licence and row.languages for row in SERVERS)
    assert group_of("src/a.TSX") == "script"
    assert group_of("a.h") == "c"
    assert group_of("README.md") == ""


def test_a_server_in_the_repository_is_not_found(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "ty"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    row = ROWS["ty"]._replace(command=str(program))
    assert found(row, tmp_path) is None
    assert found(row, tmp_path / "elsewhere") == str(program)


def test_the_script_server_gets_the_compiler_beside_it(tmp_path: Path) -> None:
    modules = tmp_path / "lib" / "node_modules"
    program = modules / "typescript-language-server" / "lib" / "cli.mjs"
    program.parent.mkdir(parents=True)
    program.write_text("", encoding="utf-8")
    row, root, scratch = ROWS["typescript-language-server"], tmp_path / "r", tmp_path / "s"
    assert "tsserver.js" in str(launch_of(row, str(program), root, scratch, lambda: ()))
    library = modules / "typescript" / "lib" / "tsserver.js"
    library.parent.mkdir(parents=True)
    library.write_text("", encoding="utf-8")
    link = tmp_path / "bin"
    link.symlink_to(program)
    assert tsserver(link) == library
    launch = launch_of(row, str(link), root, scratch, lambda: ())
    assert isinstance(launch, Launch)
    assert launch.told["tsserver"] == {"path": str(library)}
    assert launch.told["disableAutomaticTypingAcquisition"] is True


def commands(root: Path, scratch: Path, *files: str) -> list[dict[str, object]]:
    folder = prepare(root, scratch, files)
    return json.loads((folder / "compile_commands.json").read_bytes())


def test_c_without_a_build_is_compiled_with_the_folders_of_its_headers(tmp_path: Path) -> None:
    made = commands(tmp_path, tmp_path / "s", "src/a.c", "src/b.h", "deps/x/y.h", "m.cpp", "README")
    assert [(entry["file"], entry["directory"]) for entry in made] == [
        ("src/a.c", str(tmp_path)),
        ("m.cpp", str(tmp_path)),
    ]
    assert made[0]["arguments"] == ["cc", "-I.", "-Isrc", "-Ideps/x", "src/a.c"]


def test_c_with_a_build_is_compiled_its_way_and_outside_of_it(tmp_path: Path) -> None:
    root = tmp_path / "r"
    root.mkdir()
    (root / "compile_flags.txt").write_text("-DX=1\n\n-Iinc\n", encoding="utf-8")
    made = commands(root, tmp_path / "s", "a.c")
    assert made[0]["arguments"] == ["cc", "-DX=1", "-Iinc", "a.c"]
    (root / "compile_commands.json").write_text("no json", encoding="utf-8")
    assert commands(root, tmp_path / "s", "a.c") == made
    own = [{"directory": "/x", "file": "a.c", "command": "cc a.c"}]
    (root / "compile_commands.json").write_text(json.dumps(own), encoding="utf-8")
    assert commands(root, tmp_path / "s", "a.c") == own
    assert {path.name for path in root.iterdir()} == {"compile_flags.txt", "compile_commands.json"}


def test_nothing_in_the_environment_leads_into_the_repository(tmp_path: Path) -> None:
    root = tmp_path / "r"
    (root / "bin").mkdir(parents=True)
    (tmp_path / "link").symlink_to(root / "bin")
    env = {
        "PATH": f"{root}/bin:/usr/bin:.:node_modules/.bin:{tmp_path}/link",
        "VIRTUAL_ENV": f"{root}/.venv",
        "GOPATH": "/elsewhere",
        "LANG": "C",
    }
    outside(root, env)
    assert env == {"PATH": "/usr/bin", "GOPATH": "/elsewhere", "LANG": "C"}
