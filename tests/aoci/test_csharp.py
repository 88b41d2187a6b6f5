from support.facts import docs, facts, names

from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.layers import layer_of


def test_csharp() -> None:
    found = facts(
        "src/Core/OrderService.cs",
        """
        using System.Net.Http;
        using Shop.Data;
        using static Shop.Maths;
        using Old = Shop.Legacy.Order;
        global using Shop.Common;

        namespace Shop.Core;

        /// <summary>
        /// Places an <see cref="Shop.Data.Order"/> and tells the warehouse.
        /// </summary>
        [Audited]
        public sealed class OrderService : Service<Order>, IOrderService
        {
            private const int MaxItems = 50;
            private readonly IClock _clock;

            /// <summary>Places it.</summary>
            public async Task<Order> Place(Basket basket, CancellationToken token)
            {
                if (basket.Total() > MaxItems) throw new OrderTooLargeException("Never Mind");
                await _bus.Publish(new OrderPlaced(basket));
                return Configuration["Shop:Currency"];
            }

            public override string ToString() => "";
            void Hidden() {}
        }

        public record Money(decimal Amount, Dictionary<string, int> Parts);
        public class OrderDto { public int Id { get; set; } public string? Name { get; set; } }
        public enum State { /* first */ Open, Closed = 2 }
        public interface IOrderService { Task<Order> Place(Basket basket, CancellationToken token); }
        public static class OrderExtensions { public static decimal Total(this Basket basket) => 1; }
        """,
    )
    assert set(names(found)) == {
        *("OrderService", "OrderService.Place", "Money", "OrderDto", "State", "IOrderService"),
        *("IOrderService.Place", "OrderExtensions", "Total"),
    }
    assert set(names(found, public=False)) == {"OrderService.ToString", "OrderService.Hidden"}
    assert docs(found)["OrderService"] == "Places an Order and tells the warehouse"
    service = found.symbols[0]
    assert (service.name, service.bases) == ("OrderService", ("Service", "IOrderService"))
    imports = {item.module: dict(item.names) for item in found.imports}
    assert imports["Shop.Data"] == {"*": 1}
    assert imports["Shop"] == {"Maths": 1}
    assert imports["Shop.Legacy"] == {"Order": 1}
    assert dict(found.settings) == {"namespace": "Shop.Core", "global using": "Shop.Common"}
    assert {"Basket", "IClock", ".Total", "OrderTooLargeException"} <= set(dict(found.words))
    assert "Mind" not in dict(found.words)
    assert found.raises == ("OrderTooLargeException",)
    assert found.constants == ("MaxItems=50",)
    assert set(found.shapes) == {"Money{Amount,Parts}", "OrderDto{Id,Name}", "State:Open¦Closed"}
    assert found.events == ("publish OrderPlaced",)
    assert found.notes == ("config Shop:Currency",)


def test_aspnet_routes() -> None:
    controller = facts(
        "Controllers/ItemsController.cs",
        """
        namespace A { namespace B {
            [ApiController]
            [Route("api/[controller]")]
            public class ItemsController : ControllerBase
            {
                [HttpGet("{id:int}")]
                public ActionResult<Item> Get(int id) => Ok();
                [HttpPost]
                public IActionResult Add() => Ok();
                [HttpDelete("~/api/old/{id}")]
                public IActionResult Drop() => Ok();
                public void Helper() {}
            }
            public class HomeController : Controller { public IActionResult Index() => View(); }
        } }
        """,
    )
    assert controller.routes == (
        "GET /api/items/{id}",
        "POST /api/items",
        "DELETE /api/old/{id}",
        "GET /home/index",
    )
    assert dict(controller.settings)["namespace"] == "A A.B"
    minimal = facts(
        "Program.cs",
        """
        var app = builder.Build();
        var items = app.MapGroup("/items");
        items.MapGet("/{id}", Get);
        app.MapPost("/login", () => 1);
        app.MapHub<Chat>("/chat");
        """,
    )
    assert minimal.routes == ("GET /items/{id}", "POST /login", "WS /chat")
    assert layer_of("Program.cs", minimal) == "E"


def test_csharp_stores_jobs_and_tests() -> None:
    found = facts(
        "Infrastructure/Shop.cs",
        """
        public class ShopContext : DbContext { public DbSet<Order> Orders => Set<Order>(); }
        [Table("order_lines")]
        public class Line { }
        public class Sweeper : BackgroundService { PeriodicTimer t = new PeriodicTimer(TimeSpan.FromHours(1)); }
        public class Told : INotificationHandler<OrderPlaced> { }
        public class ShopTests { [Fact] public void Adds_up() { Environment.GetEnvironmentVariable("SHOP_URL"); } }
        """,
    )
    assert found.tables == ("order_lines w", "Orders w")
    assert found.events == ("subscribe OrderPlaced",)
    assert found.notes == ("background service", "every TimeSpan.FromHours(1)")
    assert found.cases == ("Adds_up",)
    assert found.env == ("SHOP_URL",)
    assert extract("A.Designer.cs", b"// <auto-generated />\nclass A {}\n").left_out == "generated"
    assert layer_of("src/Shop.UnitTests/A.cs", found) == "T"


def test_csharp_is_read_although_conditions_take_it_apart() -> None:
    found = facts(
        "Switch.cs",
        """
        public class Switch
        {
        #if NEW
            public bool On(int one) => true; public void Both(
        #else
            public void Both(int two,
        #endif
                string name) { }
            public void After() { }
        }
        """,
    )
    assert "Switch.After" in names(found)
