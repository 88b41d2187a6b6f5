"""What a query names."""

from aoci_agent.views.retrieve.mentions import Places, named_symbols
from aoci_agent.views.retrieve.question import question_of
from aoci_agent.views.retrieve.ranking import Block

FILES = ("shop/cart.py", "shop/tax/cart.py", "shop/tax/__init__.py", "web/static/cart.js", "util.c")


def block(symbol: str, path: str = "a.py") -> Block:
    return Block(path, 1, 2, "method", symbol)


def test_a_name_of_many_blocks_says_less() -> None:
    blocks = [block("Cart.total_price"), block("Tax.get_rate"), block("Cart.get_rate", "b.py")]
    found = named_symbols(question_of("total_price and get_rate differ"), blocks)
    assert found[blocks[0]] == 1
    assert 0.7 < found[blocks[1]] == found[blocks[2]] < 0.71


def test_a_qualified_name_counts_beyond_its_last_part() -> None:
    blocks = [block("Cart.total"), block("Order.total")]
    for written in ("shop.Cart.total()", "Cart::total", "Cart#total"):
        found = named_symbols(question_of(f"{written} is wrong"), blocks)
        assert found[blocks[0]] > 1 + found[blocks[1]]


def test_special_names_name_nothing() -> None:
    assert not named_symbols(question_of("__init__ and __len__"), [block("Cart.__init__")])


def test_paths_are_matched_by_their_ends() -> None:
    places = Places(FILES)
    assert places.named(question_of("see /srv/x/shop/cart.py please")) == {"shop/cart.py": 1}
    assert places.named(question_of("see cart.py")) == {
        "shop/cart.py": 0.25,
        "shop/tax/cart.py": 0.25,
    }
    assert places.named(question_of(r"see C:\x\shop\tax\cart.py")) == {"shop/tax/cart.py": 1}
    assert places.named(question_of("see nothing.py")) == {}


def test_the_innermost_frame_counts_most() -> None:
    text = (
        'fails\nTraceback (most recent call last):\n  File "/x/web/static/cart.js", line 1, in a\n'
        '  File "/x/lib/json.py", line 1, in b\n  File "/x/shop/cart.py", line 2, in c\n'
    )
    assert Places(FILES).framed(question_of(text)) == {"shop/cart.py": 1, "web/static/cart.js": 0.5}


def test_modules_are_files() -> None:
    places = Places(FILES)
    assert places.modules(question_of("shop.tax.cart.Rate")) == {"shop/tax/cart.py": 0.75 * 4 / 3}
    assert places.modules(question_of("from shop.tax import Rate")) == {"shop/tax/__init__.py": 1}
