"""Read another tool's index: `python -m aoci_agent.evals.index_foreign REPO [--commit C] [--file F]`.

Prints entries and tables parsed, paths resolved, and what is stale. `--commit` takes the tree of a
commit; `--file` reads this file instead of looking for one, `REV:PATH` as it was at a commit.
"""

import argparse
import io
import re
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from aoci_agent.aoci import foreign
from aoci_agent.base.errors import ForModel, ForUser
from aoci_agent.base.files import Workspace
from aoci_agent.base.git import Repository
from aoci_agent.evals.history import git

SHOWN = 12
_HEAD = re.compile(r"\[(?:[A-Z][\w.]*[1-9][\w.]*)?\]\s*[:\uff1a]\s*F\s*[:\uff1a]")


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit 1 when there is no index or an entry was not parsed."""
    parser = argparse.ArgumentParser(prog="python -m aoci_agent.evals.index_foreign")
    parser.add_argument("repository", type=Path, metavar="REPO")
    parser.add_argument("--commit", default="", metavar="C", help="the tree of this commit")
    parser.add_argument("--file", default="", metavar="F", help="PATH or REV:PATH")
    parser.add_argument("--all", action="store_true", help="every stale row, not the first few")
    options = parser.parse_args(arguments)
    repository: Path = options.repository
    try:
        with tempfile.TemporaryDirectory(prefix="aoci-foreign-") as folder:
            root = repository
            if options.commit:
                root = Path(folder)
                _unpack(repository, options.commit, root)
            text = _text(repository, root, options.file) if options.file else ""
            return _report(root, options.file, text, sys.maxsize if options.all else SHOWN)
    except ForUser as error:
        print(f"{error.message}\n{error.hint}", file=sys.stderr)
        return 1


def _unpack(repository: Path, commit: str, root: Path) -> None:
    archive = git(repository, "archive", "--format=tar", "--end-of-options", commit)
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        plain = [member for member in files.getmembers() if member.isfile() or member.isdir()]
        files.extractall(root, plain, filter="data")


def _text(repository: Path, root: Path, name: str) -> str:
    revision, colon, path = name.partition(":")
    if colon and path and not (root / name).exists():
        blob = git(repository, "cat-file", "blob", f"{revision}:{path}")
        return blob.decode("utf-8", "replace")
    return (root / name).read_text("utf-8", "replace")


def _report(root: Path, name: str, text: str, shown: int) -> int:
    from aoci_agent.aoci.facts.cache import FactsCache
    from aoci_agent.aoci.gather import gather, hash_workspace
    from aoci_agent.aoci.project import project_of

    with Workspace(root) as workspace, tempfile.TemporaryDirectory() as cache:
        repository = Repository.find(workspace.root)
        hashed = hash_workspace(workspace, repository, project_of(workspace))
        files = _files(root, repository)
        found = (
            foreign.read_files([name], lambda _: text, files)
            if name
            else foreign.read(workspace, files)
        )
        if found is None:
            raise ForUser(f"no index of another tool in {root}", "name one with --file")
        _head(found, text or "\n".join(_decoded(workspace, path) for path in found.sources))
        world = gather(workspace, hashed, FactsCache(Path(cache))).world
        texts = {path: _decoded(workspace, path) for path in world}
        _table(foreign.stale_report(found, world, texts), shown)
    return 0


def _files(root: Path, repository: Repository | None) -> list[str]:
    if repository is not None and repository.root == root.resolve():
        return repository.files()
    found = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in found if ".git" not in path.parts)


def _decoded(workspace: Workspace, path: str) -> str:
    try:
        return workspace.read_bytes(path).decode("utf-8", "replace")
    except ForModel:
        return ""


def _head(found: foreign.Foreign, text: str) -> None:
    """What the text holds by a count that knows nothing of the reader, beside what was read."""
    heads = _HEAD.findall(re.sub(r"(?m)^#.*", "", text))
    mapped, tables = len(found.index.entries), len(found.index.tables)
    written = len(heads) - (tables if "#AOCI-DATABASE-VOLUME" in text else 0)
    print(f"{found.layout} layout: {', '.join(found.sources)}")
    print(f"parsed    {found.parsed}/{written} entries, {tables} tables")
    repeated = sum(item.reason == "repeated" for item in found.unmapped)
    again = f" ({repeated} of them repeated)" if repeated else ""
    print(f"resolved  {mapped + repeated}/{found.parsed} entries{again}")
    print(f"named     {len(found.named)} files without an entry")
    for item in found.unmapped:
        print(f"  line {item.line}: {item.path}: {item.reason}")


def _table(rows: Sequence[foreign.StaleRow], shown: int) -> None:
    counts = Counter(row.kind for row in rows)
    print(f"stale     {len(rows)} rows")
    for kind, count in sorted(counts.items()):
        items = sum(len(row.items) for row in rows if row.kind == kind)
        print(f"  {kind:<10} {count:>5} entries" + (f", {items} names" if items else ""))
        for row in [row for row in rows if row.kind == kind][:shown]:
            print(f"      {row.path}  {', '.join(row.items)}".rstrip())


if __name__ == "__main__":
    sys.exit(main())
