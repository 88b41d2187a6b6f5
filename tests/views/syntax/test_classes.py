"""Definitions of Java, Kotlin, Scala, C# and PHP."""

from textwrap import dedent

import pytest
from support.outlines import definitions, told

JAVA = """
package shop;

/** One order. */
@Entity(name = "x)")
public class Order<T> extends Base<T> implements Shown, Kept<T> {
  private static final int LIMIT = 1, MOST = 2;

  // Adds up.
  @Override
  public <T> List<T> total(final @Nullable String name, int... rates) throws Gone {
    int local = 1;
    return new Visitor() { public void visit() {} };
  }
  Order(int rank) { super(rank); }
  abstract int size();
  interface Shown extends Named { void show(); int WIDE = 1; default void hide() {} }
  enum State implements Named { OPEN { void next() {} }, SHUT; void back() {} }
  record Line(int count, String name) implements Shown { Line {} }
  @interface Mark { int value() default 1; }
}
"""

KOTLIN = """
package shop

/** One order. */
@Entity("x")
data class Order<T>(val rank: Int, private val lines: List<T> = emptyList()) : Base<T>(rank), Shown {
  val total: Int = 1
  var name = "a"
    private set
  init { println() }

  // Opens.
  override suspend fun open(at: Int, name: String = "x"): List<T> { val local = 1 }
  abstract fun size(): Int
  fun twice(a: Int) = a + a

  companion object {
    const val LIMIT = 1
    fun make(): Order = Order()
  }
  enum class State { OPEN, SHUT }
  interface Shown : Named { fun show() }
}
object Registry : Kept() { fun find() {} }
// Shortens.
fun String.short(to: Int): String =
  take(to)
typealias Prices = Map<String, Int>
const val TOP = "a"
val lazily by lazy {
  1
}
"""

SCALA = """
package shop

/** One order. */
@deprecated("x")
case class Order[T](val rank: Int, name: T = 1) extends Base[T](rank) with Shown {
  val total: Int = 1
  var `a b` = 2
  def open[A](at: Int, then: => Int)(implicit in: Context): List[A] = { def inner = 1; val local = 2 }
  def size: Int
  type Line = Int
}
object Order extends App { val Limit = 1 }
sealed trait Shown extends Named
enum State { case Open, Shut }
val top: Int = 1
def free(a: Int) = a
"""

CSHARP = """
namespace Shop.Core {
    /// <summary>One order.</summary>
    [Table("orders")]
    public class Order<T> : Base<T>, IShown where T : class {
        private const int Limit = 1, Most = 2;
        public string Name { get; set; } = "a";
        public event EventHandler Closed;
        [Obsolete] public async Task<List<T>> Open(ref int at, string name = "x", params int[] rates) {
            void Local(int a) {}
        }
        public Order(int rank) : base(rank) {}
        int Twice(int a) => a + a;
        struct Line { int count; }
        enum State { Open }
        record Pair(int Left);
        delegate void Visit(int a);
        interface IShown : INamed { void Show(); int Size { get; } }
    }
}
"""

PHP = r"""
<?php
namespace Shop\Core;
use Shop\Base;

/** One order. */
#[Entity]
abstract class Order extends Base implements Shown, \Kept {
    use Countable, Dated;
    const LIMIT = 1;
    private ?string $name = null, $rank;
    public function __construct(private readonly Store $store, ?int $at = 1, string ...$more) {}
    abstract function size(): ?int;
    public static function open(array $lines): self { function inner() {} $local = function () {}; }
}
interface Shown extends Named, Listed { function show(); }
trait Dated { public $day; function dated() {} }
enum State: string implements Named { case Open = 'open'; const FIRST = 1; function next() {} }
function free(&$a) {}
const TOP = 1;
define('MOST', 1);
$value = 1;
return new class extends Migration { function up() {} };
"""

CASES = {
    "a.java": (
        JAVA,
        """\
        class Order 3-20
        field Order.LIMIT 6-6
        field Order.MOST 6-6
        method Order.total 8-13
        method Order.total.visit 12-12
        method Order.Order 14-14
        method Order.size 15-15
        interface Order.Shown 16-16
        method Order.Shown.show 16-16
        field Order.Shown.WIDE 16-16
        method Order.Shown.hide 16-16
        enum Order.State 17-17
        constant Order.State.OPEN 17-17
        method Order.State.OPEN.next 17-17
        constant Order.State.SHUT 17-17
        method Order.State.back 17-17
        class Order.Line 18-18
        field Order.Line.count 18-18
        field Order.Line.name 18-18
        method Order.Line.Line 18-18
        interface Order.Mark 19-19
        method Order.Mark.value 19-19""",
    ),
    "a.kt": (
        KOTLIN,
        """\
        class Order 3-22
        field Order.rank 5-5
        field Order.lines 5-5
        field Order.total 6-6
        field Order.name 7-8
        method Order.open 11-12
        method Order.size 13-13
        method Order.twice 14-14
        field Order.LIMIT 17-17
        method Order.make 18-18
        enum Order.State 20-20
        interface Order.Shown 21-21
        method Order.Shown.show 21-21
        class Registry 23-23
        method Registry.find 23-23
        function short 24-26
        type Prices 27-27
        constant TOP 28-28
        variable lazily 29-31""",
    ),
    "a.scala": (
        SCALA,
        """\
        class Order 3-11
        field Order.rank 5-5
        field Order.name 5-5
        field Order.total 6-6
        field Order.a b 7-7
        method Order.open 8-8
        function Order.open.inner 8-8
        method Order.size 9-9
        type Order.Line 10-10
        class Order 12-12
        field Order.Limit 12-12
        interface Shown 13-13
        enum State 14-14
        constant State.Open 14-14
        constant State.Shut 14-14
        variable top 15-15
        function free 16-16""",
    ),
    "a.cs": (
        CSHARP,
        """\
        namespace Shop.Core 1-19
        class Order 2-18
        field Order.Limit 5-5
        field Order.Most 5-5
        field Order.Name 6-6
        field Order.Closed 7-7
        method Order.Open 8-10
        function Order.Open.Local 9-9
        method Order.Order 11-11
        method Order.Twice 12-12
        class Order.Line 13-13
        field Order.Line.count 13-13
        enum Order.State 14-14
        constant Order.State.Open 14-14
        class Order.Pair 15-15
        field Order.Pair.Left 15-15
        type Order.Visit 16-16
        interface Order.IShown 17-17
        method Order.IShown.Show 17-17
        field Order.IShown.Size 17-17""",
    ),
    "a.php": (
        PHP,
        r"""
        namespace Shop\Core 2-2
        class Order 5-14
        constant Order.LIMIT 9-9
        field Order.name 10-10
        field Order.rank 10-10
        method Order.__construct 11-11
        field Order.store 11-11
        method Order.size 12-12
        method Order.open 13-13
        function Order.open.inner 13-13
        interface Shown 15-15
        method Shown.show 15-15
        class Dated 16-16
        field Dated.day 16-16
        method Dated.dated 16-16
        enum State 17-17
        constant State.Open 17-17
        constant State.FIRST 17-17
        method State.next 17-17
        function free 18-18
        constant TOP 19-19
        constant MOST 20-20
        variable value 21-21
        class default 22-22
        method default.up 22-22""",
    ),
}


@pytest.mark.parametrize("path", CASES)
def test_definitions(path: str) -> None:
    text, expected = CASES[path]
    assert told(path, text) == dedent(expected).lstrip("\n")


HEADS = {
    "a.java": (JAVA, ("Base", "Shown", "Kept"), "Order.total", "List<T>", "String, int..."),
    "a.kt": (KOTLIN, ("Base", "Shown"), "Order.open", "List<T>", "Int, String"),
    "a.scala": (SCALA, ("Base", "Shown"), "Order.open", "List[A]", "Int, => Int, Context"),
    "a.cs": (CSHARP, ("Base", "IShown"), "Order.Open", "Task<List<T>>", "int, string, int[]"),
    "a.php": (PHP, ("Countable", "Dated", "Base", "Shown", "Kept"), "Order.open", "self", "array"),
}


@pytest.mark.parametrize("path", HEADS)
def test_heads(path: str) -> None:
    text, bases, name, result, types = HEADS[path]
    found = definitions(path, text)
    assert found["Order"].bases == bases
    assert found[name].type == result
    assert ", ".join(declared for _, declared in found[name].parameters) == types
    size = found["Order.size"] if "Order.size" in found else found["Order.IShown.Show"]
    assert size.declared
    assert not found[name].declared


def test_signatures_leave_annotations_out() -> None:
    assert definitions("a.java", JAVA)["Order.total"].signature == (
        "public <T> List<T> total(final @Nullable String name, int... rates) throws Gone"
    )
    assert definitions("a.cs", CSHARP)["Order"].signature == (
        "public class Order<T> : Base<T>, IShown where T : class"
    )
    assert definitions("a.php", PHP)["Order.store"].type == "Store"
    assert definitions("a.kt", KOTLIN)["short"].signature == "fun String.short(to: Int): String"
