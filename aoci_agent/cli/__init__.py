"""The front door: `main` reads the command line and imports only what the command needs."""

import sys
from collections.abc import Sequence

from aoci_agent.base.errors import Exit, ForUser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code (see `base.errors.Exit`)."""
    from aoci_agent.cli.arguments import parse

    arguments = parse(list(sys.argv[1:] if argv is None else argv))
    try:
        return arguments.command(arguments)
    except ForUser as error:
        _complain(error)
        return error.exit_code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return Exit.INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # the reader left (`| head`): nothing is wrong and nobody is listening
        return Exit.DONE


def _complain(error: ForUser) -> None:
    from aoci_agent.base.terminal import clean

    print(f"aoci-agent: {clean(error.message)}", file=sys.stderr)
    if error.hint:
        print(f"  try: {clean(error.hint)}", file=sys.stderr)
