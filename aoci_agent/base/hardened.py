"""Running git so that nothing in a repository's configuration, attributes or hooks is executed.

What a repository can arm, and what disarms it here (git 2.32 or newer):

* a fixed set of options, passed by GIT_CONFIG_KEY_n, because `-c a=b=c` splits a name at its first
  "=" and could be fooled by a driver called "a=b";
* for every key the repository's own files define (listed anew before each command, includes and
  worktree settings followed), an override when the key can name a program;
* an environment made from an allow-list, no system or user configuration, no transport at all;
* `--no-ext-diff`, `--no-textconv` and `--ignore-submodules=all` where a command knows them: a
  submodule is a second repository, and git drops the overrides when it runs itself inside one;
* a closed list of reading commands and of options that are refused.

Two values of the person's own configuration are read first and passed on, because they change what
counts as ignored or modified: core.excludesFile and core.autocrlf. User-level filters (git-lfs) are
not run, so a changed file under such a filter is reported as git sees it without the filter.
"""

import functools
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from aoci_agent.base.errors import NotPossible
from aoci_agent.base.process import BlockingOutcome, Limits, run_blocking, scrubbed_environment

OLDEST = (2, 32)  # GIT_CONFIG_GLOBAL appeared there, GIT_CONFIG_COUNT one before
_LIMITS = Limits(seconds=30.0, output_bytes=20_000, spill_bytes=100_000_000)
# Reading settings takes milliseconds, unless one of the files is a pipe without a writer.
_SETTINGS_LIMITS = Limits(seconds=2.0, output_bytes=20_000, spill_bytes=10_000_000)
_WRITING_LIMITS = Limits(seconds=900.0, output_bytes=20_000, spill_bytes=1_000_000)

_FIXED = {
    "color.ui": "false",
    "commit.gpgsign": "false",
    "core.alternateRefsCommand": "true",
    "core.askPass": "true",
    "core.attributesFile": "/dev/null",
    "core.editor": "true",
    "core.fsmonitor": "false",
    "core.gitProxy": "",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "core.quotePath": "false",
    "core.sshCommand": "false",
    "credential.helper": "",
    "diff.external": "",
    "diff.ignoreSubmodules": "all",
    "diff.submodule": "short",
    "gc.auto": "0",
    **{f"gpg.{kind}program": "false" for kind in ("", "ssh.", "x509.", "openpgp.")},
    "gpg.ssh.defaultKeyCommand": "false",
    "interactive.diffFilter": "",
    "log.showSignature": "false",
    "mailmap.file": "/dev/null",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "safe.bareRepository": "explicit",
    "sequence.editor": "true",
    "status.submoduleSummary": "false",
    "submodule.recurse": "false",
}
# Keys of any subsection that can name a program, and the value that names none. Section and last
# name arrive in lower case; the subsection may hold anything, line ends and "=" included.
_ARMED = tuple(
    (re.compile(pattern, re.DOTALL), value)
    for pattern, value in (
        (r"filter\..*\.(clean|smudge|process)", ""),
        (r"filter\..*\.required", "false"),
        (r"diff\..*\.(command|textconv)", ""),
        (r"merge\..*\.driver", "false"),
        (r"(tar|man|browser|difftool|mergetool|guitool)\..*\.(command|cmd|path)", ""),
        (r"trailer\..*\.(command|cmd)", ""),
        (r"hook\..*\.(command|event)", ""),
        (r"protocol\..*\.allow", "never"),
        (r"gpg\..*\.program", "false"),
        (r"credential\..*\.helper", ""),
        (r"remote\..*\.(uploadpack|receivepack)", "false"),
        (r"remote\..*\.(vcs|proxy)", ""),
        (r"submodule\..*\.update", "none"),
        (r"submodule\..*\.ignore", "all"),
        (r"pager\..*", "false"),
        (r"alias\..*", ""),
    )
)
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "",  # an empty list: no transport, whatever protocol.*.allow says
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "LC_ALL": "C",
}

_READING = frozenset({
    "blame", "cat-file", "check-attr", "check-ignore", "describe", "diff", "diff-files",
    "diff-index", "diff-tree", "for-each-ref", "grep", "log", "ls-files", "ls-tree", "merge-base",
    "name-rev", "rev-list", "rev-parse", "shortlog", "show", "show-ref", "status", "symbolic-ref",
    "worktree",
})  # fmt: skip
# What a command is given in any case.
_HARMLESS = {
    **dict.fromkeys(("diff-tree", "log", "show"), ("--no-ext-diff", "--no-textconv")),
    **dict.fromkeys(
        ("diff", "diff-files", "diff-index"),
        ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all"),
    ),
    **dict.fromkeys(("blame", "grep"), ("--no-textconv",)),
    "status": ("--ignore-submodules=all",),
}
_REFUSED = (
    *("--ext-diff", "--textconv", "--filters", "--output", "--open-files-in-pager", "--exec"),
    *("--recurse-submodules", "--show-signature", "--upload-pack", "--help", "--delete"),
)
_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NO_NAME = re.compile("-|.*[\0\ud800-\udc7f\udd00-\udfff]", re.DOTALL)  # an option, no bytes


@dataclass(frozen=True, slots=True)
class HardenedGit:
    """git for one repository: `git_dir` and `work_tree` are given, never discovered."""

    program: str
    git_dir: Path
    work_tree: Path
    personal: tuple[tuple[str, str], ...] = ()  # settings of the person that are passed on

    @property
    def common_dir(self) -> Path:
        """The git folder with what all work trees of the repository share."""
        try:
            shared = (self.git_dir / "commondir").read_bytes()
        except OSError:  # this is no work tree of its own
            return self.git_dir
        return Path(os.path.realpath(self.git_dir / os.fsdecode(shared).rstrip("\r\n")))

    def read(self, *args: str, stdin: bytes | None = None) -> bytes:
        """The output of a reading command. NotPossible: not one, an option refused, or it failed."""
        outcome = self.try_read(*args, stdin=stdin)
        return _output(args[0], outcome)

    def try_read(self, *args: str, stdin: bytes | None = None) -> BlockingOutcome:
        """As `read`, but the exit code is the caller's to judge. NotPossible: refused."""
        return self._run(self.defined(), *_checked(args), stdin=stdin)

    def commit(self, name: str) -> str:
        """The full id of the commit that git takes a name for, "" for none; any text may be asked."""
        if _NO_NAME.match(name):
            return ""
        outcome = self.try_read("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        found = outcome.stdout.decode().strip()
        return found if _ID.fullmatch(found) else ""

    def defined(self) -> tuple[str, ...]:
        """The names of all settings the repository's own files define. NotPossible: unreadable."""
        argv = ("config", "--includes", "--name-only", "-z", "--list")
        output = _output("config", self._run((), *argv, limits=_SETTINGS_LIMITS))
        own = {name.lower() for name in (*_FIXED, *dict(self.personal))}
        names = os.fsdecode(output).split("\0")
        return tuple(dict.fromkeys(name for name in names if name and name.lower() not in own))

    def settings(self) -> list[tuple[str, str]]:
        """Name and value of each, in git's order, included files followed. NotPossible: unreadable."""
        argv = ("config", "--includes", "--show-scope", "-z", "--list")
        fields = os.fsdecode(_output("config", self._run((), *argv))).split("\0")
        own = (
            item.partition("\n")
            for scope, item in zip(fields[::2], fields[1::2], strict=False)
            if scope in ("local", "worktree")
        )
        return [(name, value) for name, _, value in own]

    def setting(self, name: str) -> str:
        """The value of one setting in the repository's own file, "" where it has none."""
        outcome = self._run((), "config", "--local", "--get", name, limits=_SETTINGS_LIMITS)
        return os.fsdecode(outcome.stdout).strip() if outcome.exit_code == 0 else ""

    def _run(
        self,
        defined: Iterable[str],
        *args: str,
        limits: Limits = _LIMITS,
        stdin: bytes | None = None,
    ) -> BlockingOutcome:
        settings = [*_FIXED.items(), *self.personal, *_overrides(defined)]
        environment = {
            **_ENVIRONMENT,
            "PATH": _path_outside(self.work_tree),
            "GIT_DIR": str(self.git_dir),
            "GIT_WORK_TREE": str(self.work_tree),
            "GIT_CONFIG_COUNT": str(len(settings)),
        }
        for number, (name, value) in enumerate(settings):
            environment[f"GIT_CONFIG_KEY_{number}"] = name
            environment[f"GIT_CONFIG_VALUE_{number}"] = value
        argv = [self.program, "--no-pager", *args]
        return run_blocking(argv, cwd=self.work_tree, limits=limits, env=environment, stdin=stdin)


class WritingGit(HardenedGit):
    """Runs writing commands too, as disarmed as the reading ones."""

    __slots__ = ()

    @classmethod
    def of(cls, git: HardenedGit) -> Self:
        """The same repository, to be written."""
        return cls(git.program, git.git_dir, git.work_tree, git.personal)

    def do(self, *args: str, stdin: bytes | None = None) -> None:
        """Run a command; the repository may be one that it makes. Raises NotPossible: it failed."""
        defined = self.defined() if self.git_dir.exists() else ()
        _output(args[0], self._run(defined, *args, limits=_WRITING_LIMITS, stdin=stdin))


@functools.cache
def version(program: str) -> tuple[int, int]:
    """The major and minor version of a git program; (0, 0) when it does not say."""
    outcome = run_blocking([program, "version"], cwd=Path("/"), env=_ENVIRONMENT)
    match = re.search(rb"(\d+)\.(\d+)", outcome.stdout)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def personal_settings(program: str) -> dict[str, list[str]]:
    """The person's own and the system's git settings, read outside every repository."""
    settings: dict[str, list[str]] = {}
    for scope in ("--system", "--global"):
        argv = [program, "config", scope, "--includes", "-z", "--list"]
        outcome = run_blocking(argv, cwd=Path("/"), limits=_SETTINGS_LIMITS, env={"LC_ALL": "C"})
        if outcome.exit_code == 0:
            for item in os.fsdecode(outcome.stdout).split("\0"):
                name, _, value = item.partition("\n")
                settings.setdefault(name, []).append(value)
    return settings


def _path_outside(work_tree: Path) -> str:
    """PATH without relative entries and entries in the work tree."""
    kept = [
        folder
        for folder in scrubbed_environment()["PATH"].split(os.pathsep)
        if folder.startswith("/") and not Path(os.path.realpath(folder)).is_relative_to(work_tree)
    ]
    return os.pathsep.join(kept) or os.defpath


def _overrides(defined: Iterable[str]) -> list[tuple[str, str]]:
    return [
        (name, next(value for pattern, value in _ARMED if pattern.fullmatch(name)))
        for name in defined
        if any(pattern.fullmatch(name) for pattern, _ in _ARMED)
    ]


def _checked(args: tuple[str, ...]) -> list[str]:
    """The arguments with the options that keep a command harmless. NotPossible when it is not."""
    command, rest = (args[0], args[1:]) if args else ("", ())
    if command not in _READING or (command == "worktree" and rest[:1] != ("list",)):
        raise NotPossible(f"git {command} is not a reading command")
    if command == "symbolic-ref" and len([arg for arg in rest if not arg.startswith("-")]) != 1:
        raise NotPossible("git symbolic-ref is only read")
    options = rest[: rest.index("--")] if "--" in rest else rest
    for option in options:
        if _is_refused(command, option):
            raise NotPossible(f"git {command} {option} is not a reading command")
    return [command, *_HARMLESS.get(command, ()), *rest]


def _is_refused(command: str, option: str) -> bool:
    if option in ("-h", "-d") or (command == "grep" and option.startswith("-O")):
        return True
    # git accepts unique abbreviations, so "--outp=x" must not pass either.
    name = option.split("=", 1)[0]
    return len(name) > 2 and name.startswith("--") and any(r.startswith(name) for r in _REFUSED)


def _output(command: str, outcome: BlockingOutcome) -> bytes:
    if outcome.exit_code != 0:
        raise NotPossible(f"git {command}: {_complaint(outcome)}")
    return outcome.stdout


def _complaint(outcome: BlockingOutcome) -> str:
    if outcome.timed_out:
        return "no answer in time"
    if outcome.truncated:
        return "too much output"
    text = outcome.stderr.decode(errors="replace").strip()
    return text.splitlines()[-1] if text else f"exit code {outcome.exit_code}"


def passed_on(settings: Mapping[str, list[str]]) -> tuple[tuple[str, str], ...]:
    """Those of the person's settings that change what is ignored or modified."""
    home = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    ignore = settings.get("core.excludesfile", [f"{home}/git/ignore"])[-1]
    chosen = [("core.excludesFile", ignore)]  # git itself resolves "~"
    if "core.autocrlf" in settings:
        chosen.append(("core.autocrlf", settings["core.autocrlf"][-1]))
    return tuple(chosen)
