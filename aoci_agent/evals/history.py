"""git for the measures: on copies of repositories, with a long time limit."""

from pathlib import Path

from aoci_agent.base.errors import ForUser
from aoci_agent.base.process import BlockingOutcome, Limits, run_blocking

_LIMITS = Limits(seconds=300, output_bytes=50_000_000, spill_bytes=1_000_000_000)


def try_git(folder: Path, *arguments: str, settings: tuple[str, ...] = ()) -> BlockingOutcome:
    """Run git in a folder; the exit code is the caller's to judge. `settings` are `name=value`."""
    options = [part for setting in settings for part in ("-c", setting)]
    return run_blocking(["git", *options, *arguments], cwd=folder, limits=_LIMITS)


def git(folder: Path, *arguments: str, settings: tuple[str, ...] = ()) -> bytes:
    """What git prints. Raises ForUser with its complaint when it fails."""
    done = try_git(folder, *arguments, settings=settings)
    if done.exit_code:
        told = done.stderr.decode("utf-8", "replace").strip()[-500:]
        raise ForUser(f"git {arguments[0]} failed", told)
    return done.stdout
