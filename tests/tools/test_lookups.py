"""search, symbols, definition and references: right about the files as they are, whatever was done to them."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.commits import git

from aoci_agent.base.errors import NotPossible, TryAgain
from aoci_agent.base.files import Workspace
from aoci_agent.base.git import Repository
from aoci_agent.tools.lookups import Lookups
from aoci_agent.tools.places import BYTES, blocks
from aoci_agent.tools.registry import builtin_tools
from aoci_agent.tools.tool import ToolResult
from aoci_agent.views.maintain import RepositoryViews
from aoci_agent.views.standard import standard_views

CART = '''"""Carts."""

from shop.tax import rate_of


class Cart:
    """What somebody buys."""

    def total_price(self, country: str) -> float:
        """Prices with the value added tax of a country."""
        return sum(self.prices) * rate_of(country)


def checkout(cart: Cart) -> float:
    return cart.total_price("de")
'''
TAX = '''def rate_of(country):
    """How much value added tax a country takes."""
    return RATES[country]


RATES = {"de": 1.19}
'''
TEST = """from shop.cart import Cart


def test_total_price():
    assert Cart().total_price("de") == 0
"""


class Shop:
    """A small repository, and the tools of a session in it."""

    def __init__(self, root: Path, cache: Path) -> None:
        self.root = root
        workspace = Workspace(root)
        made = standard_views(cache)
        del made["dense"]  # an extra
        self.views = RepositoryViews(workspace, Repository.find(root), cache, made)
        self.lookups = Lookups(workspace, self.views)
        tools = builtin_tools(workspace, None, cache / "output", self.lookups)
        self._tools = {tool.name: tool for tool in tools}

    def put(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    async def call(self, tool: str, **arguments: object) -> ToolResult:
        return await self._tools[tool].run(self._tools[tool].arguments(**arguments))

    async def text(self, tool: str, asked: str, **more: object) -> str:
        name = "query" if tool in ("search", "symbols") else "of"
        return (await self.call(tool, **{name: asked}, **more)).text


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    shop = Shop(root, tmp_path / "cache")
    for path, text in (("shop/cart.py", CART), ("shop/tax.py", TAX), ("tests/test_cart.py", TEST)):
        shop.put(path, text)
    shop.put("shop/__init__.py", "")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all")
    yield shop
    shop.views.close()


async def test_search_gives_blocks_with_their_first_lines(shop: Shop) -> None:
    lines = (await shop.text("search", "how much tax does a country take?")).splitlines()
    assert lines[0].startswith("shop/tax.py:1-3 function rate_of (words 1")
    assert lines[1] == "  def rate_of(country):"
    assert lines[-1] == "[lexical]"
    assert "try grep" in await shop.text("search", "zzzqqq")
    with pytest.raises(TryAgain, match="empty"):
        await shop.call("search", query=" ")


async def test_definitions_by_name_and_by_place(shop: Shop) -> None:
    by_name = await shop.text("definition", "Cart.total_price")
    assert by_name.startswith("shop/cart.py:9-11 method Cart.total_price\n      def total_price(")
    assert by_name == await shop.text("definition", "`Cart.total_price()`")
    assert (await shop.text("definition", "shop/cart.py:11:rate_of")).startswith("shop/tax.py:1-3 ")
    column = CART.splitlines()[10].index("rate_of")
    assert (await shop.text("definition", f"shop/cart.py:11:{column}")).startswith("shop/tax.py:1")
    assert "no definition of nothing" in await shop.text("definition", "nothing")


async def test_references_by_file_with_what_they_lie_in(shop: Shop) -> None:
    assert (await shop.text("references", "rate_of")).splitlines() == [
        "shop/cart.py",
        "3\tfrom shop.tax import rate_of  [import]",
        "11\treturn sum(self.prices) * rate_of(country)  [call in Cart.total_price]",
        "[static]",
    ]
    calls = (await shop.text("references", "Cart.total_price")).splitlines()
    assert calls[:2] == ["shop/cart.py", '15\treturn cart.total_price("de")  [call in checkout]']
    with pytest.raises(TryAgain, match=r"as shop/cart\.py:15:cart: cart, total_price$"):
        await shop.call("references", of="shop/cart.py:15")
    assert calls[1] in await shop.text("references", "shop/cart.py:9")  # what is defined there
    with pytest.raises(NotPossible, match="no symbol is called rate_off: did you mean rate_of"):
        await shop.call("references", of="rate_off")


async def test_symbols_by_name_and_in_a_file(shop: Shop) -> None:
    assert (await shop.text("symbols", "total_price")).startswith("shop/cart.py:9-11 method Cart.")
    listed = await shop.text("symbols", "./shop/tax.py")
    assert [line.split(" ", 1)[1] for line in listed.splitlines()[:-1]] == [
        "function rate_of", "constant RATES",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "of", ["shop/none.py:1", "shop/cart.py:999", "shop/cart.py:11:nothing", " "]
)
async def test_places_that_are_none(shop: Shop, of: str) -> None:
    for tool in ("definition", "references"):
        with pytest.raises(TryAgain):
            await shop.call(tool, of=of)


async def test_every_answer_is_of_the_files_as_they_are(shop: Shop) -> None:
    assert "shop/tax.py:1-3" in await shop.text("definition", "rate_of")
    shop.put("shop/tax.py", f"import os\n\n\n{TAX}")  # lines move
    assert "shop/tax.py:4-6" in await shop.text("definition", "rate_of")
    shop.put("shop/duty.py", "def customs_duty(country):\n    return 0\n")  # a file is added
    assert "shop/duty.py:1-2" in await shop.text("search", "customs duty")
    shop.put("shop/cart.py", CART.replace("total_price", "sum_total"))  # renamed in one file
    assert "Cart.sum_total" in await shop.text("symbols", "sum_total")
    assert "no definition of total_price" in await shop.text("symbols", "total_price")
    (shop.root / "shop/duty.py").unlink()  # gone
    assert "customs" not in await shop.text("search", "customs duty")
    (shop.root / "shop/tax.py").rename(shop.root / "shop/levy.py")  # moved
    assert "shop/levy.py:4-6" in await shop.text("definition", "rate_of")
    shop.put("shop/cart.py", CART.replace("\n", "\r\n"))  # line ends change
    assert "shop/cart.py:9-11" in await shop.text("definition", "Cart.total_price")
    git(shop.root, "checkout", "-q", "-b", "other")
    shutil.rmtree(shop.root / "shop")
    shop.put("lib/other.py", "def another_thing():\n    pass\n")
    git(shop.root, "add", "-A")
    git(shop.root, "commit", "-qm", "other")
    assert "lib/other.py" in await shop.text("definition", "another_thing")
    git(shop.root, "checkout", "-q", "main")  # the branch is switched
    assert "shop/tax.py:1-3" in await shop.text("definition", "rate_of")
    assert "no definition" in await shop.text("definition", "another_thing")


async def test_a_big_answer_is_cut_to_whole_rows(shop: Shop) -> None:
    for number in range(60):
        body = f'    """{"about parcels " * 12}"""\n' * 8
        shop.put(
            f"big/part{number:02}.py", f"def parcel_{number}(x):\n{body}    return rate_of(x)\n"
        )
    text = blocks(shop.lookups.search("parcels", limit=50, lines=6))
    assert len(text.encode()) <= BYTES
    assert text.splitlines()[-2].endswith("of 50 shown: ask more narrowly]")
    assert text.splitlines()[-1] == "[lexical]"


async def test_an_empty_folder_and_a_session_without_views(tmp_path: Path) -> None:
    root = tmp_path / "empty"
    root.mkdir()
    empty = Shop(root, tmp_path / "cache")
    with pytest.raises(NotPossible, match="use grep and index"):
        await empty.call("search", query="anything")
    empty.views.close()
    with Workspace(root) as workspace:
        tools = {tool.name: tool for tool in builtin_tools(workspace, None, tmp_path / "output")}
        for name in ("search", "symbols", "definition", "references"):
            arguments = {"query" if name in ("search", "symbols") else "of": "anything"}
            with pytest.raises(NotPossible, match="use grep and index"):
                await tools[name].run(tools[name].arguments(**arguments))
            assert "anything" in tools[name].preview(tools[name].arguments(**arguments)).title


def test_hover_is_the_signature_and_what_is_written_about_it(shop: Shop) -> None:
    found = shop.lookups.hover("Cart.total_price")
    assert "def total_price(self, country: str) -> float" in found.text
    assert "value added tax" in found.text


@pytest.mark.parametrize(
    ("of", "note"),
    [
        ("Cart.total_price", ""),
        ("Cart::total_price", ""),
        ("(*Cart).total_price", ""),
        ("shop.cart.Cart.total_price", ""),
        ("shop.Cart.total_price()", ""),
        ("Small.total_price", "Small.total_price is inherited: Cart.total_price"),
        ("shop.Smaller.total_price", "Smaller.total_price is inherited: Cart.total_price"),
    ],
)
def test_a_name_as_people_write_it(shop: Shop, of: str, note: str) -> None:
    small = "from shop.cart import Cart\n\n\nclass Small(Cart):\n    pass\n\n\nclass Smaller(Small):\n    pass\n"
    shop.put("shop/small.py", small)
    found = shop.lookups.definition(of)
    assert [(row.path, row.symbol) for row in found.rows] == [("shop/cart.py", "Cart.total_price")]
    assert found.note == note


@pytest.mark.parametrize(
    ("of", "note"),
    [
        ("Cart.total_prize", "did you mean total_price?"),  # no other function of that name instead
        ("Cart.rate_of", "did you mean rate_of?"),
        ("cart", "did you mean Cart?"),
        ("zzzzzz", ""),
    ],
)
def test_a_name_there_is_not_is_no_other(shop: Shop, of: str, note: str) -> None:
    found = shop.lookups.definition(of)
    assert (found.rows, found.note) == ((), note)


def test_a_name_of_several_things_says_which_one_was_taken(shop: Shop) -> None:
    shop.put("shop/bill.py", "class Bill:\n    def total_price(self):\n        return 1\n")
    assert len(shop.lookups.definition("total_price").rows) == 2
    used = shop.lookups.references("total_price")
    assert used.note == "of Cart.total_price; of that name are also Bill.total_price"
    assert {row.path for row in used.rows} == {"shop/cart.py", "tests/test_cart.py"}
