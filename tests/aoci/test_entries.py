from collections.abc import Mapping

from aoci_agent.aoci.elements import shorten, weigh
from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.generate import generate
from aoci_agent.aoci.lock import Lock
from aoci_agent.aoci.model import Entry
from aoci_agent.aoci.scan import Listing

LIBRARY: Mapping[str, str] = {
    "lib/__init__.py": "from ._client import Client, AsyncClient\nfrom ._models import *\n"
    "__all__ = ['AsyncClient', 'Client', 'Answer']\n",
    "lib/_client.py": "from ._models import Answer\n\n\nclass Client:\n"
    '    """Asks."""\n\n    def get(self): ...\n\n    def close(self): ...\n\n\n'
    "class AsyncClient:\n    def get(self): ...\n" + "# more\n" * 200,
    "lib/_models.py": "class Answer:\n    def json(self): ...\n\n\nclass Question: ...\n"
    + "# more\n" * 100,
    "lib/client_tools.py": "def helper(): ...\n",
    **{f"lib/_part{n}.py": f"class Part{n}: ...\n" + "# more\n" * 12 for n in range(20)},
    **{
        f"tests/test_{n}.py": "import lib\n\n\ndef test_it():\n    lib.Client().get()\n"
        for n in range(5)
    },
    "examples/show.py": "import lib\n\nlib.Client()\n" + "# more\n" * 500,
    ".gitignore": "*.pyc\nbuild/\n",
    "lib/parse_link.ts": "export function parseLink() { return 1; }\n",
    "lib/both.tsx": "export const Ab = () => 1;\nexport const Bc = () => 1;\nexport const Cd = () => 1;\n",
}


def entries() -> Mapping[str, Entry]:
    world = {path: extract(path, text.encode()) for path, text in sorted(LIBRARY.items())}
    return generate(world, Lock(), Listing()).made.by_path


def test_what_the_users_of_a_library_import_is_its_core() -> None:
    made = entries()
    assert made["lib/_client.py"].tag.importance >= 8
    assert made["examples/show.py"].tag.importance <= 3


def test_types_a_package_shows_come_before_methods() -> None:
    made = entries()
    assert made["lib/_client.py"].api[:2] == ("Client", "AsyncClient")
    assert "Client.get" in made["lib/_client.py"].api
    assert made["lib/__init__.py"].api[0] == "Client"
    assert made["lib/__init__.py"].function == "re-exports"


def test_functions_say_what_a_file_holds_once() -> None:
    made = entries()
    assert made[".gitignore"].function == "ignores *.pyc, build/"
    assert made[".gitignore"].synopsis == ""
    assert made["lib/parse_link.ts"].function == "function"
    assert made["lib/both.tsx"].function == "3 components"
    assert made["lib/_models.py"].function == "classes Answer, Question"


def test_text_is_cut_at_a_clause() -> None:
    text = "sections First thing, Second thing, Third thing that is rather long"
    assert shorten(text, 10) == "sections First thing, Second thing…"
    assert shorten("Type{alpha,beta,gamma,deltaEpsilon}", 8) == "Type{alpha,beta…"
    assert weigh(shorten("word " * 50, 12)) <= 12
    assert shorten(text, 100) == text
