"""C and C++: includes by path, then the file that defines each name an included header declares."""

import posixpath
from collections.abc import Iterable, Mapping

from aoci_agent.aoci.facts.model import Facts, Import
from aoci_agent.aoci.layers import is_sample, is_test
from aoci_agent.aoci.resolve.links import Links
from aoci_agent.aoci.resolve.nearness import shared_parts
from aoci_agent.aoci.wordset import wordset

_FAMILY = ("c", "cpp")
_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".m", ".mm")
_SYSTEM_FOLDERS = wordset(
    "sys linux netinet net arpa asm asm-generic bits machine mach rpc scsi sound features android libkern"
    " experimental ext os dispatch kernel vm malloc mach-o OS"
)
_SYSTEM = wordset(
    "aio alloca ar argp assert byteswap complex conio cpio crt_externs crypt ctype direct dirent dlfcn elf endian err"
    " errno error execinfo fcntl fenv float fmtmsg fnmatch ftw getopt glob grp iconv ifaddrs immintrin emmintrin"
    " xmmintrin smmintrin nmmintrin tmmintrin arm_neon cpuid intrin x86intrin inttypes io iso646 langinfo libgen"
    " libproc limits link locale malloc math mntent monetary netdb nl_types paths poll process pthread pty pwd"
    " regex resolv sched search semaphore setjmp sgtty signal spawn stdalign stdarg stdatomic stdbool stddef"
    " stdint stdio stdlib stdnoreturn string strings stropts syscall sysexits syslog tar tchar termio termios"
    " tgmath threads time trace ucontext ulimit unistd unwind utime utmp utmpx values wait wchar wctype windows"
    " winsock winsock2 ws2tcpip wordexp winbase windef winnt psapi dbghelp shlobj tlhelp32 TargetConditionals"
    " AvailabilityMacros Availability kstat procfs port ucred priv features"
    " memory pthread_np malloc_np mstcpip wincrypt wtypes"
)


class IncludeResolver:
    """Knows every header by the endings of its path, and who defines what a header declares."""

    def __init__(self, world: Mapping[str, Facts]) -> None:
        self._world = {path: facts for path, facts in world.items() if facts.language in _FAMILY}
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(self._world):
            self._by_name.setdefault(posixpath.basename(path), []).append(path)
        self._found: dict[tuple[str, str, int], str] = {}
        self._names: dict[
            str, frozenset[str]
        ] = {}  # file -> what it defines or declares for others
        self._declared: dict[str, set[str]] = {}  # name -> headers and sources that show it
        self._called: dict[str, frozenset[str]] = {}  # file -> functions and variables among them
        self._direct: dict[str, tuple[str, ...]] = {}
        self._seen: dict[str, frozenset[str]] = {}  # file -> all it includes, by any way
        self._reached: dict[str, set[str]] = {}
        for path, facts in self._world.items():
            self._take(path, facts)

    def resolve(self, path: str, facts: Facts, links: Links) -> None:
        for item in facts.imports:
            target = self._file(path, item)
            if target:
                links.add(path, target, "*", 1)
            elif package := _package(item):
                links.add_outside(path, package, 1)
            elif not item.level and not is_system(item.module):
                links.missing.setdefault(path, []).append(item.module)
        seen = self._closure(path)
        own = self._names[path] | facts.defined
        for word, uses in facts.words:
            shown = self._declared.get(word)
            if shown is None or word in own:
                continue
            headers = sorted(shown & seen)
            if headers:
                self._use(path, word, uses, headers, links)

    def note(self, path: str, facts: Facts) -> None:
        for name in self._names[path]:
            self._declared[name].discard(path)
        reached: set[str] = set()
        if self._direct[path] != self._includes(path, facts):
            reached = {file for file in self._world if path in self._closure(file)}
        self._world[path] = facts
        self._take(path, facts)
        self._seen.clear()
        self._reached[path] = reached

    def reach(self, path: str) -> set[str]:
        """Files that include this one by any way, where it includes others now."""
        return self._reached.pop(path, set())

    def _take(self, path: str, facts: Facts) -> None:
        shown = [symbol for symbol in facts.symbols if symbol.public and not symbol.owner]
        self._called[path] = frozenset(s.name for s in shown if s.kind in ("function", "variable"))
        self._names[path] = frozenset(symbol.name for symbol in shown)
        self._direct[path] = self._includes(path, facts)
        for name in self._names[path]:
            self._declared.setdefault(name, set()).add(path)

    def _includes(self, path: str, facts: Facts) -> tuple[str, ...]:
        found = (self._file(path, item) for item in facts.imports)
        return tuple(dict.fromkeys(target for target in found if target))

    def _closure(self, path: str) -> frozenset[str]:
        """The headers a file sees, itself left out."""
        if path not in self._seen:
            seen: set[str] = set()
            pending = list(self._direct[path])
            while pending:
                file = pending.pop()
                if file not in seen:
                    seen.add(file)
                    known = self._seen.get(file)
                    if known is None:
                        pending += self._direct[file]
                    else:
                        seen |= known
            self._seen[path] = frozenset(seen - {path})
        return self._seen[path]

    def _use(self, path: str, word: str, uses: int, headers: list[str], links: Links) -> None:
        """A function counts for the source that defines it, everything else for its header."""
        header = next((h for h in headers if h in self._direct[path]), "") or _nearest(
            path, headers
        )
        source = self._definer(path, word, header)
        if source and source != path:
            links.add(path, source, word, uses)
            links.used_by.setdefault((header, word), set()).add(path)
        elif header != path:
            links.add(path, header, word, uses)

    def _definer(self, path: str, name: str, header: str) -> str:
        """The source that defines what a header declares: of the same stem, else the nearest one.

        Tests and samples have functions of the same name, to stand in for those of the program.
        """
        if name not in self._called[header] or header.endswith(_SOURCES):
            return ""
        sources = [file for file in self._declared[name] if file.endswith(_SOURCES)]
        if not _is_aside(path):
            sources = [file for file in sources if not _is_aside(file)]
        if not sources:
            return ""
        stem = _stem(header)
        return _nearest(header, [file for file in sources if _stem(file) == stem] or sources)

    def _file(self, path: str, item: Import) -> str:
        key = (posixpath.dirname(path), item.module, item.level)
        if key not in self._found:
            self._found[key] = self._find(*key)
        return self._found[key]

    def _find(self, folder: str, written: str, level: int) -> str:
        beside = posixpath.normpath(posixpath.join(folder, written))
        if not level and beside in self._world:
            return beside
        if is_system(written) and (level or written not in self._by_name):
            return ""
        inner = posixpath.normpath(written).lstrip("./")
        candidates = [
            file
            for file in self._by_name.get(posixpath.basename(inner), ())
            if file == inner or file.endswith(f"/{inner}")
        ]
        return _nearest(f"{folder}/", candidates) if candidates else ""


def _is_aside(path: str) -> bool:
    return is_test(path) or is_sample(path)


def _nearest(path: str, files: Iterable[str]) -> str:
    """The file that shares the longest way with `path`, then the one least deep."""

    def far(file: str) -> tuple[int, int, str]:
        shared = shared_parts(posixpath.dirname(path), posixpath.dirname(file))
        return -shared, file.count("/"), file

    return min(files, key=far)


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]


def is_system(written: str) -> bool:
    """Whether a header belongs to the language or the operating system."""
    first, slash, _ = written.partition("/")
    stem, dot, _ = first.rpartition(".")
    return first in _SYSTEM_FOLDERS if slash else not dot or stem in _SYSTEM


def _package(item: Import) -> str:
    """The library a header that is not of the repository comes from."""
    written = item.module
    if is_system(written) or written.startswith("."):
        return ""
    first, slash, _ = written.partition("/")
    return first if slash else _stem(written) if item.level else ""
