"""Where cells start: for each base commit a repository without a future, and a prepared environment."""

import shutil
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from aoci_agent.base.box import Box
from aoci_agent.base.errors import NotPossible
from aoci_agent.base.excerpt import excerpt
from aoci_agent.base.git import Repository
from aoci_agent.base.locks import alone
from aoci_agent.base.worktrees import Worktree, leftovers, notes_beside
from aoci_agent.evals.replay.environment import (
    TREE,
    Environment,
    Recipe,
    key_of,
    prepare,
    recipe_of,
)

# What a set-up may know of the user's environment: where packages come from, and whom to believe.
_PACKAGES = (
    *("PIP_", "UV_", "npm_config_", "NPM_CONFIG_", "CARGO_REGISTRIES_", "GOPROXY", "GOFLAGS"),
    *("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"),
    *("SSL_CERT_", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "CARGO_HTTP_"),
)
OpenBox = Callable[[Path, Sequence[Path]], Box]
"""The box of a workspace; the folders named besides are readable in it."""


class Bases:
    """Everything lies below `home`, outside of the user's repository, and can be made again."""

    def __init__(
        self, source: Repository, home: Path, open_box: OpenBox, env: Mapping[str, str]
    ) -> None:
        self.source = source
        self.home = home
        self.open_box = open_box
        self._failed: dict[Path, NotPossible] = {}
        self._env = {name: value for name, value in env.items() if name.startswith(_PACKAGES)}

    def try_box(self) -> None:
        """Raises what every base would: where there is no box, that is said once, and first."""
        trees = self.home / "trees"
        trees.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.open_box(trees, ())

    def repository(self, commit: str) -> Repository:
        """Its history up to there, and no more."""
        return excerpt(self.source, commit, self.home / "repositories" / commit)

    @contextmanager
    def workplace(
        self, commit: str, name: str, setup: str = ""
    ) -> Generator[tuple[Path, Environment]]:
        """A work tree of the base, and what its tests need; gone afterwards, whatever was done in it.

        Raises NotPossible with what the set-up said.
        """
        trees = self.home / "trees"
        with Worktree(self.repository(commit), trees, name, base=commit, branch=False) as made:
            environment = self._environment(made.path, setup)
            environment.carry(made.path)
            yield made.path, environment

    def _environment(self, tree: Path, setup: str) -> Environment:
        """Prepared when it is not there, by one process at a time."""
        recipe = recipe_of(tree, setup)
        folder = self.home / "environments" / key_of(tree, recipe)
        with alone(folder / "lock"):
            if not (folder / TREE).exists():
                with tempfile.TemporaryDirectory(dir=folder) as scratch:
                    copy = Path(scratch) / TREE
                    shutil.copytree(
                        tree, copy, symlinks=True, ignore=shutil.ignore_patterns(".git")
                    )
                    copy.rename(folder / TREE)
            self._prepared(recipe, folder)
            return Environment(folder, recipe)

    def _prepared(self, recipe: Recipe, folder: Path) -> None:
        """What failed once is not tried again by this process: it may take minutes to fail."""
        if folder in self._failed:
            raise self._failed[folder]
        try:
            prepare(recipe, folder, self.open_box(folder, ()), self._env)
        except NotPossible as error:
            self._failed[folder] = error
            raise

    def sweep(self) -> None:
        """Clear away the trees of processes that died."""
        trees = self.home / "trees"
        if not notes_beside(trees):
            return
        for path in self.home.glob("repositories/*"):
            repository = Repository.find(path)
            if repository is not None and repository.root == path.resolve():
                leftovers(repository, trees)
