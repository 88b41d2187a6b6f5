import re
import struct
from pathlib import Path

import pytest
from base.sandbox.conftest import layout_for
from support.world import World

from aoci_agent.base.box import Access
from aoci_agent.base.sandbox import seccomp
from aoci_agent.base.sandbox.landlock import around
from aoci_agent.base.sandbox.seatbelt import UNTESTED, Seatbelt, profile
from aoci_agent.base.sandbox.syscalls import AUDIT, SYSCALLS
from aoci_agent.base.sandbox.toolchains import toolchains

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000


def judged(machine: str, number: int, *arguments: int, arch: int | None = None) -> int:
    """What the filter answers to a call, by an interpreter of its few instructions."""
    code = seccomp.program(machine, (1, 2, 16))
    assert code is not None
    given = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=iIQ6Q", number, arch or AUDIT[machine], 0, *given)
    program = list(struct.iter_unpack("=HBBI", code))
    at, value = 0, 0
    while True:
        operation, yes, no, operand = program[at]
        at += 1
        if operation == 0x06:
            return operand
        if operation == 0x20:
            value = struct.unpack_from("=I", data, operand)[0]
            continue
        true = {
            0x15: value == operand,
            0x35: value >= operand,
            0x45: bool(value & operand),
        }[operation]
        at += yes if true else no


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_refuses_what_it_names(machine: str) -> None:
    numbers = SYSCALLS[machine]
    for name in ("io_uring_setup", "mount", "ptrace", "bpf", "keyctl", "kexec_load", "setns"):
        assert judged(machine, numbers[name]) == ERRNO | 1, name
    assert judged(machine, numbers["clone3"]) == ERRNO | 38
    for name in ("clone", "unshare"):
        assert judged(machine, numbers[name], 0x10000000 | 17) == ERRNO | 1
        assert judged(machine, numbers[name], 17) == ALLOW
    assert judged(machine, numbers["ioctl"], 0, 0x5412) == ERRNO | 1
    assert judged(machine, numbers["ioctl"], 0, 0x541C) == ERRNO | 1
    assert judged(machine, numbers["ioctl"], 0, 0x5413) == ALLOW
    for family, answer in ((1, ALLOW), (2, ALLOW), (16, ALLOW), (40, ERRNO | 1), (17, ERRNO | 1)):
        assert judged(machine, numbers["socket"], family) == answer
    assert judged(machine, 0) == ALLOW
    assert judged(machine, 0, arch=0x40000003) == KILL  # the calls of 32 bits have other numbers
    if machine == "x86_64":
        assert judged(machine, 0x40000000) == ERRNO | 38


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_numbers_are_the_kernels(machine: str) -> None:
    header = HEADERS[machine]
    if not header.exists():
        pytest.skip(f"{header} is not installed")
    text = header.read_text()
    for name, number in SYSCALLS[machine].items():
        assert re.search(rf"#define __NR(?:3264)?_{name}\s+{number}\b", text), name


def test_an_unknown_machine_has_no_filter() -> None:
    assert seccomp.program("riscv64", (1,)) is None


def test_what_is_around_hidden_folders(tmp_path: Path) -> None:
    for name in ("a/b/secret/x", "a/c", "d", "e"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to("a/b/secret")
    (tmp_path / "loop").symlink_to("loop")
    found = set(around(tmp_path, [tmp_path / "a/b/secret", tmp_path / "e"]))
    assert found == {tmp_path / "a/c", tmp_path / "d"}


@pytest.mark.gate("T12")
def test_no_folder_of_keys_is_a_tool(tmp_path: Path) -> None:
    for name in (".ssh/bin", ".config/x", ".cargo/bin", "go/bin", "opt/tool/bin", ".aws"):
        (tmp_path / name).mkdir(parents=True)
    path = [tmp_path, tmp_path / ".ssh/bin", tmp_path / ".config/x", tmp_path / "opt/tool/bin"]
    env = {
        "PATH": ":".join(map(str, [*path, tmp_path / "missing", "relative"])),
        "GOPATH": str(tmp_path),
        "CARGO_HOME": str(tmp_path),
        "JAVA_HOME": str(tmp_path / ".aws"),
        "NVM_DIR": str(tmp_path.parent),
    }
    inside = {path for path in toolchains(tmp_path, env) if path.is_relative_to(tmp_path)}
    assert inside == {tmp_path / name for name in (".cargo", "go/bin", "opt/tool/bin")}


def test_the_profile_for_macos_denies_first(here: World) -> None:
    layout = layout_for(here)
    box = Seatbelt(layout)
    assert box.gaps == (UNTESTED,)
    text = profile(layout, Access())
    assert text.startswith("(version 1)\n(deny default)\n")
    assert "(deny network*)" in text
    assert f'(deny file-write* (subpath "{here.root}/.git"))' in text
    assert text.index(f'(deny file-read-data (subpath "{here.home}"))') < text.index(
        f'(allow file-read* (subpath "{here.root}"))'
    )
    assert "(allow network*)" in profile(layout, Access(network=True))
    assert f'(allow file-write* (subpath "{here.root}"))' not in profile(
        layout, Access(write=False)
    )
