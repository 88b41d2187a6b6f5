"""Definitions of Python and Go."""

from textwrap import dedent

from support.outlines import definitions, told

PYTHON = '''
"""Orders."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    LIMIT: int = 3
first, SECOND = 1, 2


# What is sold.
@dataclass(
    frozen=True,
)
class Order(Base[int], models.Model, metaclass=Meta):
    """One."""

    number: int = 0
    tags = ()

    class Meta:
        ordering = ["number"]

    # Sum of all.
    @property
    async def total(self, rate: Decimal = Decimal("1.0"), *lines: Line, unit={}, **more) -> Money:
        self.seen: bool = True
        other.seen = local = 1

        def add(line):
            return line

        return add(self)


class Empty(Exception): ...


type Price = Decimal
'''


def test_python() -> None:
    assert told("a.py", PYTHON) == dedent(
        """\
        constant LIMIT 5-5
        variable first 6-6
        constant SECOND 6-6
        class Order 9-31
        field Order.number 16-16
        field Order.tags 17-17
        class Order.Meta 19-20
        field Order.Meta.ordering 20-20
        method Order.total 22-31
        field Order.seen 25-25
        function Order.total.add 28-29
        class Empty 34-34
        type Price 37-37"""
    )


def test_heads_of_python() -> None:
    found = definitions("a.py", PYTHON)
    assert found["Order"].bases == ("Base", "models.Model")
    assert found["Order.seen"].type == "bool"
    assert (found["LIMIT"].line, found["LIMIT"].column, found["LIMIT"].type) == (5, 4, "int")
    total = found["Order.total"]
    assert (total.line, total.column, total.type) == (24, 14, "Money")
    assert total.parameters == (
        ("self", ""), ("rate", "Decimal"), ("lines", "Line"), ("unit", ""), ("more", ""),
    )  # fmt: skip
    assert total.signature == (
        'async def total(self, rate: Decimal = Decimal("1.0"), *lines: Line, unit={}, **more) -> Money'
    )


GO = """
package shop

// Order is one.
type Order[K any] struct {
	*Base
	store.Keeper
	ID, Rank int // both
	items []Item
}

type (
	Kind = string
	// Visitor visits.
	Visitor interface {
		Visit(order Order, deep bool) (int, error)
		Other
	}
	Handler func(int) error
)

const (
	// Open is new.
	Open Kind = "open"
	Shut      = "shut"
)

var ErrGone, count = errors.New("gone"), 0

// Total adds up.
func (o *Order[K]) Total(ctx context.Context, rate, unit float64, more ...Item) (sum float64, err error) {
	var local = 1
	type row struct{ n int }
	return
}

func main() {}
"""


def test_go() -> None:
    assert told("a.go", GO) == dedent(
        """\
        class Order 3-9
        field Order.ID 7-7
        field Order.Rank 7-7
        field Order.items 8-8
        type Kind 12-12
        interface Visitor 13-17
        method Visitor.Visit 15-15
        type Handler 18-18
        constant Open 22-23
        constant Shut 24-24
        variable ErrGone 27-27
        variable count 27-27
        method Order.Total 29-34
        class Order.Total.row 32-32
        field Order.Total.row.n 32-32
        function main 36-36"""
    )


def test_heads_of_go() -> None:
    found = definitions("a.go", GO)
    assert found["Order"].bases == ("Base", "store.Keeper")
    assert found["Visitor"].bases == ("Other",)
    assert found["Visitor.Visit"].declared
    assert not found["main"].declared
    total = found["Order.Total"]
    assert total.type == "(sum float64, err error)"
    assert total.parameters == (
        ("ctx", "context.Context"), ("rate", "float64"), ("unit", "float64"), ("more", "...Item"),
    )  # fmt: skip
    assert found["Order"].signature == "type Order[K any] struct"
    assert found["Open"].type == "Kind"
