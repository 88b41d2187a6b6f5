"""What a hostile program tries to reach from inside. Run as a program: `escapes.py '<world as JSON>'`.

It needs nothing but Python, and prints a JSON list of the attempts that worked, as far as it can
tell. The test looks at the effects too.
"""

import ctypes
import errno
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

ATTACKS: dict[str, Callable[["World"], bool]] = {}
NEW_USER, NEW_MOUNTS = 0x10000000, 0x00020000


class World:
    """Where the things of value are. `victim` is the process id of the agent."""

    def __init__(self, told: str) -> None:
        known = json.loads(told)
        self.home = Path(known["home"])
        self.root = Path(known["root"])
        self.config = Path(known["config"])
        self.data = Path(known["data"])
        self.git = Path(known["git"])  # the git folder whose hooks run
        self.victim = int(known["victim"])
        self.port = int(known["port"])
        self.sockets = [Path(one) for one in known["sockets"]]
        self.abstract = known["abstract"]
        self.key = known["key"]
        self.shared = known["shared"]


def attack(function: Callable[[World], bool]) -> Callable[[World], bool]:
    ATTACKS[function.__name__] = function
    return function


@attack
def write_home(world: World) -> bool:
    (world.home / "planted").write_text("x")
    return True


@attack
def append_bashrc(world: World) -> bool:
    with (world.home / ".bashrc").open("a") as file:
        file.write("planted\n")
    return True


@attack
def read_ssh_key(world: World) -> bool:
    return "PRIVATE" in (world.home / ".ssh/id_ed25519").read_text()


@attack
def list_ssh(world: World) -> bool:
    return any((world.home / ".ssh").iterdir())


@attack
def read_agent_config(world: World) -> bool:
    return "mode" in (world.config / "config.toml").read_text()


@attack
def write_agent_config(world: World) -> bool:
    with (world.config / "config.toml").open("a") as file:
        file.write('mode = "full-auto"\n')
    return True


@attack
def write_agent_records(world: World) -> bool:
    (world.data / "planted").write_text("x")
    return True


@attack
def write_tool(world: World) -> bool:
    (world.home / ".cargo/bin/cargo").write_text("#!/bin/sh\n")
    return True


@attack
def read_tool_key(world: World) -> bool:
    return "token" in (world.home / ".cargo/credentials.toml").read_text()


@attack
def write_git_hook(world: World) -> bool:
    (world.git / "hooks/pre-commit").write_text("#!/bin/sh\n")
    return True


@attack
def write_git_config(world: World) -> bool:
    with (world.git / "config").open("a") as file:
        file.write("[core]\n\tfsmonitor = planted\n")
    return True


@attack
def write_git_ref(world: World) -> bool:
    (world.git / "refs/heads/planted").write_text("0" * 40)
    return True


@attack
def move_git(world: World) -> bool:
    (world.root / ".git").rename(world.root / "moved")
    (world.root / "moved").rename(world.root / ".git")
    return True


@attack
def create_state(world: World) -> bool:
    (world.root / ".aoci-agent").mkdir(exist_ok=True)
    (world.root / ".aoci-agent/config.toml").write_text("x")
    return True


@attack
def follow_link(world: World) -> bool:
    link = world.root / "link"
    link.symlink_to(world.home / ".profile")
    with link.open("a") as file:
        file.write("planted\n")
    return True


@attack
def hard_link(world: World) -> bool:
    link = world.root / "hard"
    os.link(world.home / ".profile", link)
    with link.open("a") as file:
        file.write("planted\n")
    return True


@attack
def own_environment(world: World) -> bool:
    return any(world.key in value for value in os.environ.values())


@attack
def agent_environment(world: World) -> bool:
    return world.key.encode() in Path(f"/proc/{world.victim}/environ").read_bytes()


@attack
def see_agent(world: World) -> bool:
    return b"agent-of-the-test" in Path(f"/proc/{world.victim}/cmdline").read_bytes()


@attack
def signal_agent(world: World) -> bool:
    if b"agent-of-the-test" not in _command(world.victim):
        return False  # inside a box that number is nobody, or one of ours
    os.kill(world.victim, signal.SIGUSR1)
    return True


def _command(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


@attack
def tcp(world: World) -> bool:
    with socket.create_connection(("127.0.0.1", world.port), 1):
        return True


@attack
def udp(world: World) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.sendto(b"udp", ("127.0.0.1", world.port))
        one.connect(("127.0.0.1", world.port))
        one.send(b"udp")
        one.settimeout(0.5)
        return one.recv(10) == b"heard"


@attack
def listen(world: World) -> bool:
    """A port that others on this machine can connect to."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = one.getsockname()[1]
        state = Path(f"/proc/{world.victim}/net/tcp").read_text()
        return f":{port:04X} " in state


@attack
def local_socket(world: World) -> bool:
    return _calls(str(world.sockets[0]))


@attack
def local_socket_among_tools(world: World) -> bool:
    return _calls(str(world.sockets[1]))


@attack
def abstract_socket(world: World) -> bool:
    return _calls("\0" + world.abstract)


def _calls(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as one:
        one.settimeout(1)
        one.connect(address)
    return True


@attack
def machine_socket(_: World) -> bool:
    with socket.socket(getattr(socket, "AF_VSOCK", 40), socket.SOCK_STREAM):
        return True


@attack
def change_mode(world: World) -> bool:
    (world.home / ".netrc").chmod(0o666)
    return True


@attack
def change_times(world: World) -> bool:
    os.utime(world.home / ".inputrc", (1, 1))
    return True


@attack
def empty_file(world: World) -> bool:
    os.truncate(world.home / ".vimrc", 0)
    return True


@attack
def remove_file(world: World) -> bool:
    (world.home / ".gitconfig").unlink()
    return True


@attack
def shared_memory(world: World) -> bool:
    (Path("/dev/shm") / world.shared).write_text("x")
    return True


@attack
def see_files(world: World) -> bool:
    return (world.home / ".ssh/id_ed25519").exists()


@attack
def service_folder(_: World) -> bool:
    return any(Path("/run").iterdir())


@attack
def io_uring(_: World) -> bool:
    parameters = ctypes.create_string_buffer(256)
    return _call(425, 1, parameters) >= 0


@attack
def user_namespace(_: World) -> bool:
    return _in_child(lambda: _unshare(NEW_USER))


@attack
def cloned_namespace(_: World) -> bool:
    """By clone3, whose flags no filter can see."""
    arguments = (ctypes.c_uint64 * 11)(NEW_USER, *[0] * 10)
    arguments[4] = signal.SIGCHLD
    pid = _call(435, arguments, ctypes.sizeof(arguments))
    if pid == 0:
        os._exit(0)
    if pid > 0:
        os.waitpid(pid, 0)
    return pid > 0


@attack
def mount(_: World) -> bool:
    def attempt() -> bool:
        if os.geteuid() and not _unshare(NEW_USER | NEW_MOUNTS):
            return False
        if not os.geteuid() and not _unshare(NEW_MOUNTS):
            return False
        return _library().mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0

    return _in_child(attempt)


@attack
def trace_agent(world: World) -> bool:
    if b"agent-of-the-test" not in _command(world.victim):
        return False
    library = _library()
    if library.ptrace(16, world.victim, None, None) != 0:  # PTRACE_ATTACH
        return False
    os.waitpid(world.victim, 0)
    library.ptrace(17, world.victim, None, None)
    return True


@attack
def kernel_keys(_: World) -> bool:
    number = {"x86_64": 248, "aarch64": 217}[os.uname().machine]
    return _call(number, b"user", b"planted", b"x", 1, -3) > 0


@attack
def kernel_programs(_: World) -> bool:
    """bpf: what an unprivileged user gets is EPERM too, so only root can tell."""
    number = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
    return _call(number, 9999, None, 0) < 0 and ctypes.get_errno() == errno.EINVAL


@attack
def type_into_terminal(_: World) -> bool:
    """Without a terminal the kernel says ENOTTY; the filter says EPERM before it looks."""
    result = _library().ioctl(0, 0x5412, ctypes.create_string_buffer(b"x"))
    return result == 0 or ctypes.get_errno() != errno.EPERM


@attack
def autorun_file(world: World) -> bool:
    """Allowed in every box: what it runs later is told, and trust is by content."""
    (world.root / ".vscode").mkdir(exist_ok=True)
    (world.root / ".vscode/tasks.json").write_text("{}")
    return True


@attack
def workspace(world: World) -> bool:
    (world.root / "made").write_text("x")
    return (world.root / "made").read_text() == "x"


def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return library


def _call(number: int, *arguments: object) -> int:
    return int(_library().syscall(ctypes.c_long(number), *arguments))


def _unshare(flags: int) -> bool:
    return _library().unshare(flags) == 0


def _in_child(attempt: Callable[[], bool]) -> bool:
    pid = os.fork()
    if pid == 0:
        os._exit(0 if attempt() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def main() -> None:
    world = World(sys.argv[1])
    worked: list[str] = []
    for name, attempt in ATTACKS.items():
        with suppress(OSError, ValueError):
            if attempt(world):
                worked.append(name)
    sys.stdout.write(json.dumps(worked))


if __name__ == "__main__":
    main()
