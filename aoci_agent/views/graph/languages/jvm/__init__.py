"""Java, Kotlin and Scala in the graph: one space for each package, shared by all three."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath

from aoci_agent.views.graph.languages.jvm.finder import PackageFinder
from aoci_agent.views.graph.languages.jvm.java import java
from aoci_agent.views.graph.languages.jvm.kotlin import kotlin
from aoci_agent.views.graph.languages.jvm.outside import OUTSIDE
from aoci_agent.views.graph.languages.jvm.scala import scala
from aoci_agent.views.graph.model import FileFacts

_READERS: Mapping[str, Callable[[str, bytes], FileFacts]] = {
    ".java": java,
    **dict.fromkeys((".kt", ".kts"), kotlin),
    **dict.fromkeys((".scala", ".sc", ".mill"), scala),
}


class Jvm:
    """Reads by the ending of a path."""

    name = "jvm"
    settings: Sequence[str] = ()
    outside = OUTSIDE

    def read(self, path: str, data: bytes) -> FileFacts:
        return _READERS[PurePosixPath(path).suffix](path, data)

    def finder(self, paths: Sequence[str], settings: Mapping[str, bytes]) -> PackageFinder:
        return PackageFinder(paths)
