"""The filter of system calls for both layers, as the bytes of a classic BPF program.

It takes away what no build or test needs and what a sandbox has been broken with: asynchronous
system calls past every filter, namespaces of one's own, mounts, tracing, keys, kernel modules, and
typing into a terminal. What is refused gives EPERM; clone3 gives ENOSYS, since its flags lie in
memory where a filter cannot look, and every C library then uses clone.
"""

import errno
import socket
import struct
from collections.abc import Sequence

from aoci_agent.base.sandbox.syscalls import AUDIT, SYSCALLS

_REFUSED = (
    *("io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "mount_setattr"),
    *("fsopen", "fsconfig", "fsmount", "fspick", "setns", "open_by_handle_at"),
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd"),
    *("bpf", "perf_event_open", "userfaultfd", "lookup_dcookie", "syslog"),
    *("keyctl", "add_key", "request_key"),
    *("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module"),
    *("reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "vhangup"),
    *("settimeofday", "clock_settime", "sethostname", "setdomainname", "iopl", "ioperm"),
)
_NEW_USER = 0x10000000  # CLONE_NEWUSER
_TYPING = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_X32 = 0x40000000  # the other calling convention of x86_64 sets this bit

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _FIRST, _SECOND = 0, 4, 16, 24  # offsets in struct seccomp_data; low halves
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000

LOCAL = (socket.AF_UNIX,)
INTERNET = (socket.AF_INET, socket.AF_INET6)
ROUTES = (16,)  # AF_NETLINK: the list of one's own addresses


def program(machine: str, families: Sequence[int]) -> bytes | None:
    """The filter for a machine ("x86_64"); None for one whose numbers are not known here.

    Sockets are made only of these `families`: others (vsock, packets, bluetooth) reach past a
    network namespace.
    """
    if machine not in SYSCALLS:
        return None
    numbers = SYSCALLS[machine]
    code = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, AUDIT[machine]), (_RETURN, 0, 0, _KILL)]
    code.append((_LOAD, 0, 0, _NUMBER))
    if machine == "x86_64":
        code += _when(_AT_LEAST, _X32, [_refusal(errno.ENOSYS)])
    code += _when(_EQUAL, numbers["clone3"], [_refusal(errno.ENOSYS)])
    for name in ("clone", "unshare"):
        code += _when(_EQUAL, numbers[name], _argument(_FIRST, _ANY_BIT, (_NEW_USER,)))
    code += _when(_EQUAL, numbers["ioctl"], _argument(_SECOND, _EQUAL, _TYPING))
    allowed = [(_EQUAL, len(families) - at, 0, int(one)) for at, one in enumerate(families)]
    code += _when(
        _EQUAL,
        numbers["socket"],
        [(_LOAD, 0, 0, _FIRST), *allowed, _refusal(errno.EPERM), (_RETURN, 0, 0, _ALLOW)],
    )
    for name in _REFUSED:
        if name in numbers:
            code += _when(_EQUAL, numbers[name], [_refusal(errno.EPERM)])
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


_Instruction = tuple[int, int, int, int]


def _refusal(number: int) -> _Instruction:
    return (_RETURN, 0, 0, _ERRNO | number)


def _when(test: int, value: int, then: list[_Instruction]) -> list[_Instruction]:
    """The instructions `then`, which end in a return, jumped over when the test fails."""
    return [(test, 0, len(then), value), *then]


def _argument(at: int, test: int, values: Sequence[int]) -> list[_Instruction]:
    """Refuse when an argument matches one of the values; allow otherwise."""
    tests: list[_Instruction] = []
    for value in values:
        tests += [(test, 0, 1, value), _refusal(errno.EPERM)]
    return [(_LOAD, 0, 0, at), *tests, (_RETURN, 0, 0, _ALLOW)]
