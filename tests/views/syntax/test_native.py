"""Definitions of Rust, C, C++ and Swift."""

from textwrap import dedent

import pytest
from support.outlines import definitions, every, told

RUST = """
/// One order.
#[derive(Debug)]
pub struct Order<'a, T> {
    pub rank: u32, // kept
    name: &'a str,
}
pub struct Pair(u32, u32);

impl<'a, T> fmt::Display for store::Order<'a, T> where T: Clone {
    type Out = u32;
    const N: usize = 1;
    pub async fn show<'b>(&'b mut self, mut to: &'b str, f: fn(u8, u8) -> u8) -> Result<(), E> {
        fn inner() {}
        let local = 1;
    }
}
trait Shown: Clone + Named { fn title(&self) -> &str; fn shown(&self) -> bool { true } }
enum State { Open, Shut(u32) }

#[cfg(test)]
mod tests {
    // Works.
    #[test]
    fn works() {}
}
macro_rules! sold { () => {}; }
static COUNT: u32 = 1;
type Kept<T> = Result<T, Error>;
extern "C" { fn outside(a: i32); }
"""

C = """
#include "a.h"
#ifndef LIMIT
#define LIMIT 3
#endif
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* One order. */
typedef struct order {
    int rank, *next;
    void (*close)(struct order *self);
} order_t;
struct { int x; } place;
enum state { OPEN, SHUT = 2 };
typedef unsigned long size;

static int declared(const char *name);
int table[3] = {0}, *spare;

/* Opens.
 * Twice. */
static order_t *
order_open(const char *name, void (*done)(int), char *argv[], int (*)(void))
{
    int local = 1;
#define INSIDE 1
    return NULL;
}
"""

CPP = """
namespace shop::core {
// One order.
template <class T>
class Order : public Base<T>, private store::Kept {
 public:
  explicit Order(int rank);
  ~Order();
  virtual int total(const std::string& name, int = 0) const = 0;
  int rank() const { return rank_; }
  Order& operator=(const Order&);
  friend void look();
  enum class State : int { Open };
 private:
  int rank_, *next_;
  std::map<int, std::string> names_;
};
}  // namespace shop::core

template <class T>
int shop::core::Order<T>::total(const std::string& name, int) const { auto f = [](int q) {}; return 1; }
Order::Order(int rank) : rank_(rank) {}
Order& Order::operator=(const Order& o) { return *this; }
template <> struct fmt::formatter<std::vector<int>> : Parsed {};
using Names = std::vector<int>;
"""

SWIFT = """
/// One order.
@objc
public class Order<T>: Base, Shown {
  let rank: Int = 1
  private(set) var name: String?
  init(rank: Int, _ name: String = "x") {}
  func total(with rate: Int, units: [String: Int]) async throws -> Int {
    let local = 1
    return local
  }
}
struct Line {}
enum State: String { case open, shut(Int); func next() {} }
extension Order: Kept where T: Named { func keep() {} }
protocol Shown: Named { func show(on page: Int) -> Bool; var title: String { get } }
typealias Price = Int
let limit = 1
"""

CASES = {
    "a.rs": (
        RUST,
        """\
        class Order 1-6
        field Order.rank 4-4
        field Order.name 5-5
        class Pair 7-7
        extension Order 9-16
        type Order.Out 10-10
        constant Order.N 11-11
        method Order.show 12-15
        function Order.show.inner 13-13
        interface Shown 17-17
        method Shown.title 17-17
        method Shown.shown 17-17
        enum State 18-18
        constant State.Open 18-18
        constant State.Shut 18-18
        module tests 20-25
        function tests.works 22-24
        function sold 26-26
        constant COUNT 27-27
        type Kept 28-28
        function outside 29-29""",
    ),
    "a.c": (
        C,
        """\
        constant LIMIT 3-3
        function MAX 5-5
        class order 7-11
        field order.rank 9-9
        field order.next 9-9
        field order.close 10-10
        type order_t 11-11
        variable place 12-12
        field place.x 12-12
        enum state 13-13
        constant state.OPEN 13-13
        constant state.SHUT 13-13
        type size 14-14
        function declared 16-16
        variable table 17-17
        variable spare 17-17
        function order_open 19-27
        constant INSIDE 25-25""",
    ),
    "a.cpp": (
        CPP,
        """\
        namespace shop.core 1-17
        class shop.core.Order 2-16
        method shop.core.Order.Order 6-6
        method shop.core.Order.~Order 7-7
        method shop.core.Order.total 8-8
        method shop.core.Order.rank 9-9
        method shop.core.Order.operator= 10-10
        enum shop.core.Order.State 12-12
        constant shop.core.Order.State.Open 12-12
        field shop.core.Order.rank_ 14-14
        field shop.core.Order.next_ 14-14
        field shop.core.Order.names_ 15-15
        method shop.core.Order.total 19-20
        method Order.Order 21-21
        method Order.operator= 22-22
        class fmt.formatter 23-23
        type Names 24-24""",
    ),
    "a.swift": (
        SWIFT,
        """\
        class Order 1-11
        field Order.rank 4-4
        field Order.name 5-5
        method Order.init 6-6
        method Order.total 7-10
        class Line 12-12
        enum State 13-13
        constant State.open 13-13
        constant State.shut 13-13
        method State.next 13-13
        extension Order 14-14
        method Order.keep 14-14
        interface Shown 15-15
        method Shown.show 15-15
        field Shown.title 15-15
        type Price 16-16
        variable limit 17-17""",
    ),
}


@pytest.mark.parametrize("path", CASES)
def test_definitions(path: str) -> None:
    text, expected = CASES[path]
    assert told(path, text) == dedent(expected)


def test_heads_of_rust() -> None:
    found = definitions("a.rs", RUST)
    assert found["Order.show"].parameters == (
        ("self", ""), ("to", "&'b str"), ("f", "fn(u8, u8) -> u8"),
    )  # fmt: skip
    assert found["Order.show"].type == "Result<(), E>"
    assert found["Shown"].bases == ("Clone", "Named")
    assert found["Shown.title"].declared
    assert not found["Shown.shown"].declared
    (extension,) = [item for item in every("a.rs", RUST) if item.kind == "extension"]
    assert extension.bases == ("fmt::Display",)


def test_heads_of_c() -> None:
    found = definitions("a.c", C)
    opened = found["order_open"]
    assert (opened.line, opened.column, opened.type) == (22, 0, "order_t")
    assert opened.parameters == (
        ("name", "const char *"), ("done", "void (*done)(int)"), ("argv", "char *[]"), ("", "int (*)(void)"),
    )  # fmt: skip
    assert found["declared"].declared
    assert not opened.declared


def test_heads_of_cpp() -> None:
    found = definitions("a.cpp", CPP)
    assert found["shop.core.Order"].bases == ("Base", "store::Kept")
    assert found["shop.core.Order.names_"].type == "std::map<int, std::string>"
    first, second = (item for item in every("a.cpp", CPP) if item.name == "total")
    assert (first.declared, second.declared) == (True, False)
    assert (second.line, second.column) == (20, 26)
    assert definitions("a.h", CPP).keys() == found.keys()


def test_heads_of_swift() -> None:
    found = definitions("a.swift", SWIFT)
    assert found["Order"].bases == ("Base", "Shown")
    assert found["Order.total"].parameters == (("rate", "Int"), ("units", "[String: Int]"))
    assert found["Order.total"].type == "Int"
    assert found["Order.name"].type == "String?"
    assert found["Shown.show"].declared


CUT_IN_TWO = """
#ifdef WIDE
int wide(int a) {
#else
int narrow(int a, int b) {
#endif
    return a;
}
#ifdef WIDE
#define SIZE 8
#else
#define SIZE 4
#define SMALL 1
#endif
SHOP_API struct EXPORTED order { int rank; };
int after(void) { return 1; }
"""


def test_conditions_do_not_hide_what_follows() -> None:
    found = definitions("a.c", CUT_IN_TWO)
    assert {"wide", "after", "SIZE", "SMALL"} <= found.keys()
    assert (found["wide"].start, found["wide"].end) == (2, 7)
    found = definitions(
        "a.cs", "class A {\n#if X\n  void B() {\n#else\n  void C() {\n#endif\n  }\n}\n"
    )
    assert (found["A.B"].start, found["A.B"].end) == (3, 7)
