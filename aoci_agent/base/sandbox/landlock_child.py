"""Confines itself and becomes the command. Run by path as `python -I -S`, so nothing of ours is imported.

Its one argument before the command is JSON: `{"paths": [[path, rights], ...], "filesystem": rights,
"network": rights, "scoped": flags, "filter": hex, "limits": [[resource, value], ...]}`.
"""

import ctypes
import json
import os
import resource
import stat
import struct
import sys

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same on every machine
_PATH_BENEATH = 1
_NO_NEW_PRIVS, _SECCOMP, _FILTER = 38, 22, 2
_DROP_BOUNDING = 24
_FILE_CAPABILITIES = (0, 1, 3, 4)  # chown, override, fowner, fsetid
_FOR_FILES = 0b1100_0000_0000_0111  # execute, write, read, truncate, ioctl: not a folder's rights


def main() -> None:
    """Restrict, or end with status 126 and the reason: never the command without its box."""
    order = json.loads(sys.argv[1])
    command = sys.argv[2:]
    try:
        _limit(order["limits"])
        library = ctypes.CDLL(None, use_errno=True)
        library.syscall.restype = ctypes.c_long
        _checked(library.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0))
        _drop_capabilities(library)
        rights = (order["filesystem"], order["network"], order["scoped"])
        _landlock(library, struct.pack("=QQQ", *rights), order["paths"])
        _seccomp(library, bytes.fromhex(order["filter"]))
    except (OSError, ValueError) as error:
        _end(f"the sandbox cannot be set up: {error}", 126)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        _end(f"{command[0]}: {error.strerror}", 127)


def _drop_capabilities(library: ctypes.CDLL) -> None:
    """Of root: all but those over its own and others' files. The bounding set outlives the exec."""
    for capability in range(64):
        if capability not in _FILE_CAPABILITIES:
            library.prctl(_DROP_BOUNDING, capability, 0, 0, 0)


def _landlock(library: ctypes.CDLL, attributes: bytes, paths: "list[tuple[str, int]]") -> None:
    # Kernels refuse a longer structure whose unknown part is not zero, and take one that is.
    rules = library.syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0)
    _checked(rules)
    for path, rights in paths:
        _allow(library, rules, path, rights)
    _checked(library.syscall(_RESTRICT, rules, 0))
    os.close(rules)


def _allow(library: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is gone cannot be allowed
    if not stat.S_ISDIR(os.fstat(descriptor).st_mode):  # of what was opened: the name may change
        rights &= _FOR_FILES
    beneath = struct.pack("=Qi", rights, descriptor)
    _checked(library.syscall(_ADD, rules, _PATH_BENEATH, beneath, 0))
    os.close(descriptor)


def _seccomp(library: ctypes.CDLL, code: bytes) -> None:
    if not code:
        return
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
    _checked(library.prctl(_SECCOMP, _FILTER, program, 0, 0))


def _limit(limits: "list[list[int]]") -> None:
    for kind, value in limits:
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))
    try:
        with open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
            file.write("1000")
    except OSError:
        pass


def _checked(result: int) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _end(message: str, code: int) -> None:
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
