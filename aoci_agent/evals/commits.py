"""Trees of commits for the measures: read straight from a git folder, no work tree needed."""

import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from aoci_agent.aoci.facts.extract import why_left_out
from aoci_agent.aoci.roles import Role, role_of
from aoci_agent.aoci.scan import MAX_BYTES
from aoci_agent.base.errors import ForUser

_REGULAR = ("100644", "100755", "100664")


class GitFolder:
    """A clone, a bare one, or only its `.git`."""

    def __init__(self, folder: Path) -> None:
        self._words = ["git", "--git-dir", str(folder)]
        self._fits: dict[tuple[str, str], bool] = {}  # (path, blob) -> whether the views cover it

    @classmethod
    def of(cls, folder: Path, repository: str) -> "GitFolder":
        """The clone of `owner/name` below a folder. Raises ForUser where there is none.

        It may be called owner__name, owner+name, owner/name or name; a mirror's own name may stand
        before it (mirror+owner__name).
        """
        owner, _, name = repository.partition("/")
        names = [f"{owner}__{name}", f"{owner}+{name}", f"{owner}/{name}", name]
        names += [path.name for path in sorted(folder.glob(f"*[+_]{owner}__{name}"))]
        for place in names:
            for inside in (".git", "repo", ""):
                if (folder / place / inside / "objects").is_dir():
                    return cls(folder / place / inside)
        raise ForUser(
            f"no clone of {repository} in {folder}",
            f"git clone https://github.com/{repository} {folder / names[0]}",
        )

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """What git prints. Raises ForUser with its complaint."""
        done = subprocess.run(
            [*self._words, *arguments], input=stdin, capture_output=True, check=False
        )
        if done.returncode:
            told = done.stderr.decode("utf-8", "replace").strip()[-300:]
            raise ForUser(f"git {arguments[0]} failed", told)
        return done.stdout

    def date(self, commit: str) -> int:
        """Seconds since 1970 of a commit."""
        return int(self.run("show", "-s", "--format=%ct", commit))

    def contents(self, blobs: Iterable[str]) -> dict[str, bytes]:
        """Bytes by blob; those the clone lacks are left out."""
        asked = list(dict.fromkeys(blobs))
        out = self.run("cat-file", "--batch", stdin="".join(f"{blob}\n" for blob in asked).encode())
        found: dict[str, bytes] = {}
        place = 0
        for blob in asked:
            end = out.index(b"\n", place)
            head = out[place:end].split()
            if head[1] == b"missing":
                place = end + 1
                continue
            start = end + 1
            place = start + int(head[2]) + 1
            found[blob] = out[start : place - 1]
        return found

    def tree(self, commit: str) -> "Tree":
        """The files of a commit that the views cover."""
        blobs: dict[str, str] = {}
        listed = self.run("ls-tree", "-r", "-l", "-z", commit).decode("utf-8", "surrogateescape")
        for entry in listed.split("\0"):
            described, _, path = entry.partition("\t")
            if described[:6] in _REGULAR and role_of(path)[0] is Role.INDEX:
                _, _, blob, size = described.split()
                if size.isdecimal() and int(size) <= MAX_BYTES:  # "BAD" where the clone lacks it
                    blobs[path] = blob
        unknown = {path: blob for path, blob in blobs.items() if (path, blob) not in self._fits}
        data = self.contents(unknown.values())
        for path, blob in unknown.items():
            self._fits[path, blob] = blob in data and not why_left_out(path, data[blob])
        kept = {path: blob for path, blob in sorted(blobs.items()) if self._fits[path, blob]}
        return Tree(self, kept, {blob: data[blob] for blob in kept.values() if blob in data})


class Tree:
    """A `views.model.Source`; content ids are git's."""

    def __init__(
        self, folder: GitFolder, files: Mapping[str, str], data: Mapping[str, bytes]
    ) -> None:
        self.files = files
        self._folder = folder
        self._data = dict(data)

    def read(self, path: str) -> bytes:
        """The bytes of a file."""
        blob = self.files[path]
        if blob not in self._data:
            self._data.update(self._folder.contents([blob]))
        return self._data[blob]
