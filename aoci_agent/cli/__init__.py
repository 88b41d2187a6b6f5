"""The front door: `main` reads the command line and imports only what the command needs."""

import errno
import sys
from collections.abc import Sequence

from aoci_agent.base.errors import Exit, ForUser

FULL = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EFBIG)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code (see `base.errors.Exit`)."""
    if argv is None:  # the program itself; a caller's path is not ours to change
        _forget_the_folder()
    from aoci_agent.cli.arguments import parse

    _open_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        arguments = parse(words)
    except ForUser as error:
        sys.exit(_ended(error, as_json="--json" in words))
    try:
        _close_state()
        code = arguments.command(arguments)
        sys.stdout.flush()
        return code
    except Exception as error:  # noqa: BLE001 - the last boundary: nobody above can say it better
        return _ended(error, as_json=getattr(arguments, "json", False))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return Exit.INTERRUPTED


def _ended(error: Exception, *, as_json: bool) -> int:
    """Say why the program ends early, for a script also on stdout; the exit code."""
    if isinstance(error, ForUser):
        _complain(error, as_json=as_json)
        return error.exit_code
    if isinstance(error, BrokenPipeError):
        sys.stderr.close()  # the reader left (`| head`): nothing is wrong and nobody is listening
        return Exit.DONE
    if isinstance(error, OSError) and error.errno in FULL:
        sys.stdout = None  # what it still holds would fail again at exit
        _complain(ForUser(f"cannot write the result: {error.strerror}"))
        return Exit.FAILED
    return _crashed(error, as_json=as_json)


def _forget_the_folder() -> None:
    """Import nothing from where the work is: PYTHONPATH and `python -m` may have put it first (T26)."""
    import os

    try:
        here = os.path.realpath(".")
    except OSError:  # the folder was deleted
        here = "/"
    doubtful = (sys.path[0], *os.environ.get("PYTHONPATH", "").split(os.pathsep))
    real = {os.path.realpath(entry or here) for entry in doubtful}
    inside = {entry for entry in real if os.path.commonpath((entry, here)) in (entry, here)}
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or here) not in inside]


def _close_state() -> None:
    """The agent's own folders are nobody else's to read (T29)."""
    import os

    from aoci_agent.base.places import Places

    Places(os.environ).close_to_others()


def _open_streams() -> None:
    """A stream that was closed by the caller swallows what is written to it."""
    import os

    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115 - lives as long as we


def _complain(error: ForUser, *, as_json: bool = False) -> None:
    from aoci_agent.base.terminal import clean

    if as_json:
        import json

        told = {"message": error.message, "hint": error.hint, "exit_code": int(error.exit_code)}
        try:
            print(json.dumps({"error": told}), flush=True)
        except OSError:  # nobody reads it
            sys.stdout = None
    print(f"aoci-agent: {clean(error.message)}", file=sys.stderr)
    if error.hint:
        print(f"  try: {clean(error.hint)}", file=sys.stderr)


def _crashed(error: Exception, *, as_json: bool) -> int:
    """A bug of this program: keep the traceback for a report, show one line."""
    import os
    import traceback

    from aoci_agent.base.places import Places
    from aoci_agent.base.secrets import Mask

    file = Places(os.environ).data / "crash.log"
    mask = Mask.of(os.environ)
    text = mask.mask("".join(traceback.format_exception(error)))
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.write_text(text, encoding="utf-8", errors="replace")
    except OSError:
        print(text, file=sys.stderr)
    name = type(error).__name__
    bug = ForUser(
        f"a bug stopped the program ({name}: {mask.mask(str(error))})", f"report it with {file}"
    )
    _complain(bug, as_json=as_json)
    return Exit.FAILED
