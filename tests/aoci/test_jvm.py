from textwrap import dedent

import pytest

from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.facts.jvm import sentence
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.layers import layer_of


def facts(path: str, text: str) -> Facts:
    found = extract(path, dedent(text).encode())
    assert not found.problem
    return found


def names(found: Facts, *, public: bool = True) -> list[str]:
    return [
        f"{s.owner}.{s.name}" if s.owner else s.name for s in found.symbols if s.public is public
    ]


def test_java_types_members_and_documentation() -> None:
    found = facts(
        "src/main/java/com/acme/Order.java",
        """
        /*
         * Copyright someone, Apache License
         */
        package com.acme;

        import static com.acme.util.Money.round;
        import com.acme.store.Store;
        import com.acme.unused.OnlyInComments;
        import java.util.*;

        /**
         * Holds what a {@link Customer} ordered. See {@link OnlyInComments}.
         *
         * @param <T> nothing
         */
        // kept for old callers
        @Deprecated
        public final class Order<T extends Comparable<T>> extends Base<T> implements Priced, java.io.Serializable {
          public static final int LIMIT = 50;
          private static final String PREFIX = "order-";
          static final long serialVersionUID = 1L;

          /** Places the order. Then waits. */
          public void place(Store store) throws OrderException {
            Runnable later = new Runnable() { public void run() {} };
            if (store == null) throw new OrderException("Customer");
            throw new IllegalStateException(round(1));
          }
          void packagePrivate() {}
          protected void guarded() {}
          @Override public String toString() { return ""; }
          public enum State { OPEN, PAID("x") { void a() {} }; State(String... s) {} }
          public record Line(Product product, int count) {}
          interface Visitor { void visit(Order<?> order); }
        }
        """,
    )
    order = next(s for s in found.symbols if s.name == "Order")
    assert order.doc == "Holds what a Customer ordered"
    assert order.bases == ("Base", "Priced")
    assert names(found) == [
        "Order",
        "Order.LIMIT",
        "Order.place",
        "Order.State",
        "Order.Line",
        "Visitor.visit",
    ]
    assert "Order.guarded" in names(found, public=False)
    assert next(s.doc for s in found.symbols if s.name == "place") == "Places the order"
    assert found.constants == ("LIMIT=50", 'PREFIX="order-"')
    assert found.shapes == ("Line{product,count}", "State:OPEN¦PAID")
    assert found.raises == ("OrderException",)
    assert found.settings == (("package", "com.acme"),)
    imports = {item.module: dict(item.names) for item in found.imports}
    assert imports == {
        "com.acme.util.Money": {"round": 1},
        "com.acme.store": {"Store": 1},
        "java.util": {"*": 1},
    }
    words = dict(found.words)
    assert {"Base", "Priced", "Product", "OrderException"} <= words.keys()
    assert not {"Customer", "String", "Store", "State"} & words.keys()


def test_spring_controller() -> None:
    found = facts(
        "OwnerController.java",
        """
        package shop;
        /** Shows owners. */
        @RestController
        @RequestMapping(value = "/owners", produces = "application/json")
        class OwnerController {
          private static final String LIST = "/list";
          @Value("${shop.page.size:10}") int size;
          @Value("#{'${shop.tags}'.split(',')}") List<String> tags;

          /** One owner. */
          @GetMapping("/{id}")
          public Owner one() { return null; }
          @GetMapping({"", LIST}) public void list() {}
          @RequestMapping(path = "/old", method = {RequestMethod.PUT, RequestMethod.POST}) public void old() {}
          @PostMapping public void create() { events.publishEvent(new OwnerCreated(1)); }
          @Scheduled(cron = "0 0 * * * *") void tidy() {}
          @Scheduled(fixedRate = 5000) void tick() {}
          @KafkaListener(topics = {"owners", "pets"}, groupId = "shop") void hear(String s) {}
          @RabbitListener(queues = Queues.ORDERS) void queue(String s) { kafkaTemplate.send("audit", s); }
          @EventListener void on(final OwnerCreated event) {}
        }
        """,
    )
    assert found.routes == (
        "GET /owners/{id}",
        "GET /owners",
        "GET /owners/list",
        "PUT /owners/old",
        "POST /owners/old",
        "POST /owners",
    )
    assert found.calls == ()
    assert found.doc == "Shows owners"
    assert set(found.events) == {
        "subscribe owners",
        "subscribe pets",
        "subscribe ORDERS",
        "subscribe OwnerCreated",
        "publish OwnerCreated",
        "publish audit",
    }
    assert set(found.notes) == {
        "runs at 0 0 * * * *",
        "runs every 5000 ms",
        "config shop.page.size, shop.tags",
    }
    assert layer_of("src/main/java/shop/OwnerController.java", found) == "H"


@pytest.mark.parametrize(
    ("text", "routes", "calls"),
    [
        ('@Path("/a") class R { @GET @Path("b/{c}") public void x() {} @POST public void y() {} }', ("GET /a/b/{c}", "POST /a"), ()),
        ('@Controller("/a") class R { @Get("/{id}") public void x() {} }', ("GET /a/{id}",), ()),
        ('@FeignClient("users") interface C { @GetMapping("/users/{id}") User one(); }', (), ("GET /users/{id}",)),
        ('interface C { @GET("users/{id}") Call<User> one(@Path("id") int id); }', (), ("GET /users/{id}",)),
        ('class C { void f() { app.get("/ping", h); client.get("key"); } }', ("GET /ping",), ()),
        ('class C { Object f() { return RouterFunctions.route(GET("/p"), h); } }', ("GET /p",), ()),
    ],
)  # fmt: skip
def test_java_routes_of_other_frameworks(
    text: str, routes: tuple[str, ...], calls: tuple[str, ...]
) -> None:
    found = facts("R.java", text)
    assert (found.routes, found.calls) == (routes, calls)


def test_java_entities_and_beans() -> None:
    found = facts(
        "Owner.java",
        """
        @Entity @Table(name = "owners")
        public class Owner {
          static final Logger log = null;
          @Column(name = "first_name") private String firstName;
          private String city;
          public String getCity() { return city; }
          public void setCity(String city) { this.city = city; }
          public void addPet(Pet pet) {}
        }
        """,
    )
    assert found.tables == ("owners ddl",)
    assert found.shapes == ("Owner{first_name,city}",)
    assert names(found) == ["Owner", "Owner.addPet"]
    assert layer_of("src/main/java/a/Owner.java", found) == "M"
    swagger = facts(
        "C.java",
        '@ApiModel(description = "\u5546\u54c1") class C { @Operation(summary = "Lists all") public void f() {} }',
    )
    assert [s.doc for s in swagger.symbols] == ["\u5546\u54c1", "Lists all"]


def test_java_tests_packages_and_modules() -> None:
    tests = facts(
        "OwnerTest.java",
        """
        class OwnerTest {
          @Test @DisplayName("keeps its pets") void a() {}
          @ParameterizedTest void testNameIsNeeded() {}
          @BeforeEach void setUp() {}
        }
        """,
    )
    assert tests.cases == ("keeps its pets", "nameIsNeeded")
    package = facts("a/package-info.java", "/** What owners need. */\n@NullMarked\npackage a;\n")
    assert package.doc == "What owners need."
    module = facts(
        "module-info.java", "/** Core. */\nmodule a { requires transitive b.c; exports a.d; }"
    )
    assert module.doc == "Core."


def test_a_damaged_java_file_still_gives_facts() -> None:
    found = extract(
        "A.java", b"package a;\npublic class A { public void f( { ]] \n void g() {}\n class"
    )
    assert ("package", "a") in found.settings
    assert extract("A.kt", b"package a\nclass A { fun f( { ]] \n fun g() {}\n class").settings
    assert extract("A.scala", b"package a\nclass A { def f( { ]] \n def g = 1\n class").settings


def test_kotlin() -> None:
    found = facts(
        "src/commonMain/kotlin/a/Things.kt",
        """
        @file:JvmName("Things")
        package a.b

        import a.c.Far as Near
        import a.c.helper
        import kotlinx.coroutines.flow.*

        /** Keeps [Thing]s, see [the docs][Far]. More. */
        @Serializable
        @Marker(
          level = 1,
        )
        data class Box(
          val size: Int,
          private var label: String = "q ${if (x) "a" else "b"} {",
          val make: () -> Unit = { val inner = 1 },
        ) : Base(), Holder<Int> {
          companion object { const val LIMIT = 3; fun of() = Box(1) }
          init { val q = 1; fun hidden() {} }
          constructor(a: Int) : this(a, "") { val w = 2 }
          fun open(key: Int): Near { val o = object : Runnable { override fun run() {} }; return helper(o) }
          private fun secret() = 1
          val lazyOne by lazy { fun no() {} }
        }

        enum class State(val v: Int) { OPEN(1), DONE(2) { override fun f() {} }; open fun f() {} }
        sealed interface Event
        object Registry : Base(), Holder<Int> { fun find() {} }
        fun <T : Any> List<T>.second(): T = throw MissingThing("x")
        const val MAX = 10
        typealias Pairs = Map<String, Int>
        @DslMarker
        annotation class Dsl
        open class Guarded protected constructor() { fun act() {} }
        class Wired @Inject constructor(private val box: Box) : Base()
        """,
    )
    assert names(found) == [
        "Box", "Box.LIMIT", "Box.of", "Box.open", "State", "State.f", "Event", "Registry", "Registry.find",
        "second", "MAX", "Pairs", "Dsl", "Guarded", "Guarded.act", "Wired",
    ]  # fmt: skip
    assert names(found, public=False) == ["Box.secret"]
    by_name = {s.name: s for s in found.symbols}
    assert by_name["Box"].doc == "Keeps Things, see the docs"
    assert by_name["Box"].bases == ("Base", "Holder")
    assert (by_name["Event"].bases, by_name["Wired"].bases) == ((), ("Base",))
    assert found.shapes == ("Box{size,label,make}", "State:OPEN¦DONE")
    assert found.constants == ("LIMIT=3", "MAX=10")
    assert found.raises == ("MissingThing",)
    assert found.settings == (("package", "a.b"), ("jvm name", "Things"))
    imports = {item.module: dict(item.names) for item in found.imports}
    assert imports == {"a.c": {"Far": 1, "helper": 1}, "kotlinx.coroutines.flow": {"*": 1}}


def test_kotlin_frameworks() -> None:
    ktor = facts(
        "Routes.kt",
        """
        import io.ktor.server.routing.*
        fun Application.api() { routing {
          get("/health") { call.respondText("}") }
          route("/users") {
            get { list() }
            authenticate("x") { post("/{id}") { } }
          }
          webSocket("/live") { }
        } }
        """,
    )
    assert ktor.routes == ("GET /health", "GET /users", "POST /users/{id}", "WS /live")
    table = facts(
        "Users.kt",
        """
        import org.jetbrains.exposed.sql.Table
        object Users : IntIdTable("users") {
          val name = varchar("full_name", 50)
          val age: Column<Int> = integer("age")
        }
        """,
    )
    assert table.tables == ("users ddl",)
    assert table.shapes == ("table users{full_name,age}",)
    spec = facts(
        "ThingSpec.kt",
        'class ThingSpec : StringSpec({\n  "sums up" { }\n  should("hold") { }\n}) {\n @Test fun `works well`() {}\n}',
    )
    assert spec.cases == ("works well", "sums up", "hold")


def test_scala() -> None:
    found = facts(
        "Repo.scala",
        """
        package a.b
        package c

        import a.x.{One => Uno, Two, Three => _}
        import a.y._, a.z.Deep
        /** Finds [[a.b.Thing things]] by `name`. */
        case class Query(name: String, limit: Int = 10) extends Base with Named {
          private[this] val n = 3
          def run(two: Two): Uno = {
            import local.Thing
            throw new NoRows("x")
          }
          def +(o: Query) = this
        }
        object Query { val Empty = 0; def make = new Query("") }
        sealed trait Shape { def area: Int }
        enum Color { case Red, Green }
        def top(x: Int) = sys.env("REPO_URL")
        """,
    )
    assert names(found) == [
        "Query",
        "Query.run",
        "Query.Empty",
        "Query.make",
        "Shape",
        "Shape.area",
        "Color",
        "top",
    ]
    query = next(s for s in found.symbols if s.name == "Query")
    assert (query.doc, query.bases) == ("Finds things by name", ("Base", "Named"))
    assert set(found.shapes) == {"Query{name,limit}", "Color:Red¦Green"}
    assert found.settings == (("within", "a.b"), ("package", "a.b.c"))
    imports = {(item.module, item.level): dict(item.names) for item in found.imports}
    assert imports == {
        ("a.x", 0): {"One": 1, "Two": 1},
        ("a.y", 0): {"*": 1},
        ("a.z", 0): {"Deep": 1},
        ("local", 1): {"Thing": 1},
    }
    assert (found.env, found.raises) == (("REPO_URL",), ("NoRows",))


def test_scala_frameworks() -> None:
    routes = facts(
        "Routes.scala",
        """
        object Routes extends IOApp {
          val all = HttpRoutes.of[IO] {
            case GET -> Root / "users" / IntVar(id) => Ok()
            case req @ POST -> Root / "users" => Ok()
          }
          @cask.get("/ping") def ping() = "pong"
        }
        """,
    )
    assert routes.routes == ("GET /ping", "GET /users/{id}", "POST /users")
    tests = facts(
        "A.scala", 'class ASpec extends X { "A stack" should "pop" in { }\n test("grows") { } }'
    )
    assert tests.cases == ("pop", "grows")


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("Returns {@code null} or a {@link java.util.List#get(int) value}. Then.", "Returns null or a value"),
        ("Reads &lt;this&gt;\n\n<p>and that.", "Reads <this>"),
        ("Simple <b>bold</b> words\n<ul><li>x</ul>", "Simple bold words"),
        ("Licensed under the Apache License\nfor all.", ""),
        ("\u5546\u54c1\u7ba1\u7406\nCreated by someone on 2018/4/26.", "\u5546\u54c1\u7ba1\u7406"),
        ("Uses [Other.thing] and [[a.b.C]].", "Uses Other.thing and C"),
    ],
)  # fmt: skip
def test_documentation_markup(comment: str, said: str) -> None:
    assert sentence(comment) == said
