"""What a part of a command line may do that no wildcard of a rule covers."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from aoci_agent.aoci.wordset import wordset
from aoci_agent.tools.shell.line import Part, Word
from aoci_agent.tools.shell.reader import read_line

# Start another program that is named by their arguments.
WRAPPERS = frozenset({
    "bash", "bunx", "busybox", "chroot", "chrt", "command", "csh", "dash", "doas", "docker", "env",
    "exec", "fakeroot", "fish", "flock", "gdb", "ionice", "ksh", "ltrace", "nice", "nohup", "npx",
    "nsenter", "parallel", "pipx", "pkexec", "podman", "script", "setarch", "setpriv", "setsid",
    "sh", "start-stop-daemon", "stdbuf", "strace", "su", "sudo", "systemd-run", "taskset", "tcsh",
    "time", "timeout", "toybox", "unbuffer", "unshare", "uvx", "valgrind", "watch", "xargs", "zsh",
})  # fmt: skip
SHELLS = frozenset({"bash", "csh", "dash", "fish", "ksh", "sh", "tcsh", "zsh"})
# Change the files they are given; of those that copy, the last one.
_CHANGING = wordset(
    "rm rmdir unlink shred srm dd truncate fallocate chmod chown chgrp chattr mv tee sponge patch sed"
    " gsed ed ex touch rename"
)
_COPYING = wordset("cp install ln link rsync")
_DESTRUCTIVE = frozenset({
    "awk", "gawk", "mawk", "nawk", "sed", "gsed", "ed", "ex", "vi", "vim", "nvim", "view", "nano",
    "emacs", "rm", "rmdir", "unlink", "shred", "srm", "dd", "mkswap", "fdisk", "sfdisk", "parted",
    "wipefs", "blkdiscard", "truncate", "fallocate", "chmod", "chown", "chgrp", "chattr", "setfacl",
    "mv", "cp", "install", "ln", "link", "tee", "sponge", "patch", "rsync", "kill", "pkill",
    "killall", "skill", "shutdown", "reboot", "halt", "poweroff", "init", "telinit", "systemctl",
    "service", "mount", "umount", "losetup", "crontab", "at", "batch", "useradd", "usermod",
    "userdel", "passwd", "visudo", "iptables", "nft", "sysctl", "modprobe", "insmod", "ldconfig",
    "launchctl", "osascript", "open", "xdg-open", "man", "info", "zip", "unzip", "cpio", "7z",
    "rename", "split", "csplit", "tar", "bsdtar", "eval", "source", ".", "trap", "kubectl", "terraform", "dropdb",
    "sqlite3", "psql", "mysql", "redis-cli", "mongosh", "m4", "expect", "screen", "tmux", "socat",
})  # fmt: skip
# Options that run or overwrite something, by program. A long one is met by every abbreviation.
_OPTIONS: dict[str, tuple[str, ...]] = {
    "find": (
        *("-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf"),
        *("-fls", "-files0-from", "-L", "-follow"),
    ),
    "fd": ("--exec", "--exec-batch", "-x", "-X"),
    "rg": (
        *("--pre", "--pre-glob", "--hostname-bin", "--search-zip", "-z", "--file", "-f", "-L"),
        *("--hidden", "-.", "--no-ignore", "-u", "--unrestricted", "--follow"),
    ),
    "sort": (
        *("--output", "-o", "--compress-program", "--temporary-directory", "-T", "--files0-from"),
    ),
    "pytest": (
        *("-p", "--pdbcls", "--basetemp", "-c", "--config-file", "--rootdir", "--confcutdir"),
        *("-o", "--override-ini", "--pastebin", "--pyargs", "--log-file", "--junitxml"),
    ),
    **dict.fromkeys(
        ("npm", "pnpm", "yarn", "bun"),
        (
            *("--script-shell", "--prefix", "--node-options", "--userconfig", "--globalconfig"),
            *("-C", "--dir", "--cwd", "--shell-emulator", "--call", "-c"),
        ),
    ),
    "node": ("-e", "--eval", "-p", "--print", "-r", "--require", "--import", "--loader"),
    "make": ("--eval", "-f", "--file", "--makefile", "-C", "--directory", "-I", "--include-dir"),
    "cargo": ("--config", "--manifest-path", "--target-dir", "-Z", "-C"),
    "go": ("-exec", "-toolexec", "-vettool", "-overlay", "-modfile", "-o", "-C"),
    "tree": ("-o", "-R"),
    **dict.fromkeys(("test", "["), ("-v", "-R")),  # an index, x[$(...)], is run
    "printf": ("-v",),
    "diff": ("--output",),
    **dict.fromkeys(("wc", "du"), ("--files0-from",)),
    "date": ("-s", "--set"),
    "file": ("-C", "--compile", "-m", "--magic-file", "-z", "-Z"),
}
# git commands a wildcard may cover, with what they must not be given.
_GIT: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("status", "log", "show", "diff", "shortlog", "blame", "ls-files", "ls-tree"),
        ("--ext-diff", "--textconv", "--output", "--show-signature", "--contents"),
    ),
    **dict.fromkeys(
        (
            "rev-parse",
            "rev-list",
            "describe",
            "cat-file",
            "merge-base",
            "name-rev",
            "count-objects",
        ),
        ("--textconv", "--filters"),
    ),
    "grep": ("-O", "--open-files-in-pager", "--textconv", "--ext-grep"),
    "branch": (
        *("-D", "-d", "--delete", "-M", "-m", "--move", "-f", "--force", "-C", "--copy", "-c"),
        *("--edit-description",),
    ),
    "add": ("-i", "--interactive", "-p", "--patch", "-e", "--edit", "-f", "--force"),
    "commit": ("--amend", "--no-verify", "-n", "-C", "-c", "-p", "--patch", "-e", "--edit", "-S"),
    "tag": ("-d", "--delete", "-f", "--force", "-s", "-u", "--sign", "-e", "--edit"),
}
_GIT_REMOTE = frozenset({
    "push", "fetch", "pull", "clone", "ls-remote", "remote", "submodule", "send-email", "svn", "p4",
    "fetch-pack", "send-pack", "http-fetch", "http-push", "lfs", "request-pull", "archive",
})  # fmt: skip
_NETWORK = frozenset({
    "apt", "apt-get", "aptitude", "aria2c", "aws", "axel", "az", "brew", "bunx", "conda", "curl",
    "dig", "dnf", "docker", "doctl", "fly", "flyctl", "ftp", "ftplib", "gcloud", "gh", "git-lfs",
    "glab", "gsutil", "helm", "heroku", "host", "http", "http.server", "https", "hub", "ipfs",
    "kubectl", "lftp", "links", "lynx", "mail", "mailx", "mosh", "mutt", "nc", "ncat", "netcat",
    "netlify", "ngrok", "nix", "nmap", "npx", "nslookup", "pacman", "ping", "ping6", "pipx",
    "podman", "rclone", "rsync", "scp", "sendmail", "sftp", "skopeo", "snap", "socat", "ssh",
    "ssh-copy-id", "sshfs", "telnet", "terraform", "tftp", "traceroute", "twine", "uvx", "vercel",
    "w3m", "wget", "whois", "wscat", "xh", "yum", "zypper",
})  # fmt: skip
# Words of package managers that reach a registry.
_FETCHING = {
    **dict.fromkeys(
        ("npm", "pnpm", "yarn", "bun"),
        wordset(
            "access add adduser audit ci create deprecate dist-tag dlx exec i import info init install"
            " login outdated owner publish search token unpublish up update upgrade view whoami x"
        ),
    ),
    **dict.fromkeys(("pip", "pip3"), wordset("install download wheel index search")),
    "uv": wordset("add lock pip publish self sync tool python"),
    **dict.fromkeys(("poetry", "pdm"), wordset("add install lock publish update self")),
    "cargo": wordset("add fetch install login owner publish search update yank"),
    "go": wordset("get install mod generate env"),
    **dict.fromkeys(("gem", "bundle", "bundler"), wordset("install update push fetch add")),
    "composer": wordset("install update require global create-project"),
    "mvn": wordset("deploy release:perform"),
    "gradle": wordset("publish uploadArchives"),
    "openssl": wordset("s_client s_server"),
}
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
_MAKES_A_FILE_SYSTEM = re.compile(r"mkfs.*|mke2fs")


def destructive(part: Part) -> str:
    """Why no wildcard covers this part, "" where one may."""
    if part.writes:
        return f"writes {part.writes[0].target.text}"
    if part.assignments:
        return f"sets {part.assignments[0].partition('=')[0]}"
    return next(filter(None, (_destroys(*_named(words)) for words in commands(part))), "")


def _destroys(program: str, rest: tuple[str, ...]) -> str:
    if program in _DESTRUCTIVE or _MAKES_A_FILE_SYSTEM.fullmatch(program):
        return f"{program} can destroy or run things"
    if program in WRAPPERS:
        return f"{program} runs other programs"
    if program == "make" and any("=" in word for word in rest):
        return "make is given a variable"
    if program == "git":
        return _git(rest)
    for word in rest:
        if _is_option(word, _OPTIONS.get(program, ())):
            return f"{program} {word.partition('=')[0]} can run or overwrite things"
    return ""


def network(part: Part) -> str:
    """Why a part may reach the network or another machine, "" where it does not look so."""
    reached = (_reaches(*_named(words)) for words in commands(part))
    if why := next(filter(None, reached), ""):
        return why
    if any(word.text.startswith(("/dev/tcp/", "/dev/udp/")) for word in _targets(part)):
        return "bash itself would connect"
    return ""


def _reaches(program: str, rest: tuple[str, ...]) -> str:
    plain = [word for word in rest if not word.startswith("-")]
    if _PYTHON.fullmatch(program) and "-m" in rest:
        program, plain = (plain or [""])[0], plain[1:]
    if program == "git" and any(word in _GIT_REMOTE for word in plain):
        return "this git command may reach another machine"
    if program in _NETWORK or any(word in _FETCHING.get(program, ()) for word in plain):
        return f"{program} reaches the network"
    return ""


def commands(part: Part) -> Iterator[tuple[Word, ...]]:
    """The words a part runs, and behind a wrapper such as `env` or `sh -c` all they may start."""
    words = part.words
    for place in range(len(words) if part.program in WRAPPERS else min(1, len(words))):
        first = words[place]
        yield (Word(PurePosixPath(first.text).name or first.text, first.kind), *words[place + 1 :])
        if place and len(first.text.split()) > 1:
            for inner in read_line(first.text).parts:
                yield from commands(inner)


def changed(part: Part) -> Iterator[Word]:
    """The words that name what a part writes, moves or removes, as far as a line shows that."""
    yield from (one.target for one in part.writes)
    for words in commands(part):
        if words[0].text in _CHANGING:
            yield from words[1:]
        elif words[0].text in _COPYING:
            yield from words[-1:]


def hides(part: Part) -> bool:
    """Whether a shell is given a text whose parts cannot all be told."""
    if part.program not in WRAPPERS or not any(words[0].text in SHELLS for words in commands(part)):
        return False
    lines = [read_line(word.text) for word in part.words[1:] if word.text[:1] not in ("-", "")]
    return not all(line.complete and not any(map(hides, line.parts)) for line in lines)


def _named(words: tuple[Word, ...]) -> tuple[str, tuple[str, ...]]:
    return words[0].text, tuple(word.text for word in words[1:])


def _targets(part: Part) -> Iterator[Word]:
    yield from part.words
    yield from (one.target for one in part.redirections)


def _git(rest: tuple[str, ...]) -> str:
    if not rest or rest[0].startswith("-"):
        return "git is given an option before its command"
    refused = _GIT.get(rest[0])
    if refused is None:
        return f"git {rest[0]} can change or run things"
    for word in rest[1:]:
        if _is_option(word, refused):
            return f"git {rest[0]} {word.partition('=')[0]} can change or run things"
    return ""


def _is_option(word: str, refused: tuple[str, ...]) -> bool:
    """Whether a word is one of these options: abbreviated, joined with its value, or among others."""
    name = word.partition("=")[0]
    for option in refused:
        if name == option:
            return True
        if option.startswith("--") and len(name) > 2 and option.startswith(name):
            return True
        # "-xfoo", "-ax": one letter among others.
        one_letter = len(option) == 2 and option[0] == "-"
        if one_letter and re.match(r"-\w", word) and option[1] in word[1:]:
            return True
    return False
