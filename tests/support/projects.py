"""Small projects in the languages of the graph, each over several files."""

from collections.abc import Mapping

from support.projects_native import CPP, RUST, C, Project

JAVA: Project = {
    "app/src/main/java/shop/core/Item.java": """
        package shop.core;
        public class Item implements Priced {
          public static final Item NONE = new Item("none");
          private final String name;
          private Item next;
          public Item(String name) { this.name = name; }
          public String name() { return name; }
          public Item next() { return next; }
          public int cost(int count) { return count; }
          public int cost(int count, boolean taxed) { return cost(count); }
          static class Part { Item whole; }
        }
        """,
    "app/src/main/java/shop/core/Priced.java": """
        package shop.core;
        public interface Priced {
          int cost(int count);
          default Item self() { return null; }
        }
        """,
    "app/src/main/java/shop/web/Basket.java": """
        package shop.web;
        import java.util.List;
        import shop.core.*;
        import shop.core.Item.Part;
        import static shop.web.Helper.total;
        public class Basket<T extends Priced> extends Base {
          private List<Item> items;
          private T best;
          int sum(String name) {
            int size = size();
            for (Item each : items) { size += each.cost(1, true); }
            for (var each : items) { each.next().name(); }
            Item name2 = items.get(0).next();
            name2.self().name();
            best.cost(3);
            Part part = new Part();
            part.whole.name();
            Object odd = null;
            if (odd instanceof Item found) { found.next(); }
            inherited();
            Runnable r = () -> inherited();
            return total(size) + Helper.total(2) + Item.NONE.cost(4);
          }
          int size() { return 0; }
          Kind pick(Kind kind) { switch (kind) { case SMALL: return Kind.LARGE; default: return kind; } }
        }
        enum Kind { SMALL, LARGE; Kind other() { return this; } }
        """,
    "app/src/main/java/shop/web/Base.java": """
        package shop.web;
        class Base { protected void inherited() {} }
        class Helper { static int total(int x) { return x; } }
        """,
    "app/src/test/java/other/Item.java": "package other; class Item { void name() {} }\n",
    "app/src/main/kotlin/shop/web/Cart.kt": """
        package shop.web
        import shop.core.Item
        class Cart(val first: Item) : Base() {
          fun open(): Item { close(); helper(); return Item("x") }
          private fun close() {}
        }
        fun helper() {}
        """,
    "app/src/main/scala/shop/web/Rack.scala": """
        package shop.web
        import shop.core.{Item, Priced => P}
        class Rack(item: Item) extends Base {
          val spare: Item = Rack.make(item)
          def turn: Item = item.next().next()
          def go(p: P): Unit = { inherited(); turn.name(); spare.cost(1) }
        }
        object Rack { def make(item: Item): Item = item }
        """,
}

CSHARP: Project = {
    "Core/Item.cs": """
        namespace Shop.Core;
        public enum Kind { Small, Large }
        public interface IPriced { int Cost(int count); }
        public partial class Item : IPriced {
          public Item Next { get; set; }
          public Kind Kind => Kind.Small;
          public List<Item> Parts { get; } = new();
          public Item(string name) { _name = name; }
          private readonly string _name;
          public int Cost(int count) => count;
          public int Cost(int count, bool taxed) => Cost(count);
        }
        """,
    "Core/Item.More.cs": """
        namespace Shop.Core;
        public partial class Item { public void More() { Next.Cost(1); } }
        public static class ItemExtensions { public static Item Twice(this Item item, int times) => item; }
        """,
    "Web/GlobalUsings.cs": "global using Shop.Core;\n",
    "Web/Basket.cs": """
        using System;
        using Alias = Shop.Core.Kind;
        namespace Shop.Web {
          public class Basket<T> : Base where T : IPriced {
            private readonly Item _first = new Item("a");
            private T _best;
            public int Sum(Item given) {
              foreach (var part in given.Parts) { part.Next.Cost(1, true); }
              var made = new Item("b") { Next = given };
              given.Parts.First().More();
              made?.Next.Twice(2).More();
              _first.Next.Cost(3);
              _best.Cost(4);
              if (given is Item other) { other.More(); }
              Inherited();
              var kind = Alias.Large;
              return this.Total(kind);
            }
            int Total(Alias kind) { return 0; }
          }
          public class Base { protected void Inherited() { } }
        }
        """,
    "Web/Other.cs": "namespace Elsewhere; public class Item { public void More() { } }\n",
}

PHP: Project = {
    "src/Core/Item.php": """
        <?php
        namespace Shop\\Core;
        interface Priced { public function cost(int $count): int; }
        trait Named { protected string $name; public function name() { return $this->name; } public function self() { return $this; } }
        abstract class Base { public static function make(): static { return new static(); } public function saved(): bool { return true; } }
        class Item extends Base implements Priced {
            use Named;
            const LIMIT = 3;
            private ?Item $next = null;
            /** @var Item[] */
            public $parts = [];
            public function __construct(private readonly Helper $helper) { $this->helper->run(); }
            public function next(): ?Item { return $this->next; }
            public function cost(int $count): int { return $count + self::LIMIT; }
        }
        class Helper { /** @return Item */ public function run() { return null; } }
        function total(Item $item): int { return $item->cost(1); }
        """,
    "src/Web/Basket.php": """
        <?php
        namespace Shop\\Web;
        use Shop\\Core\\{Item, Helper as Aid};
        use function Shop\\Core\\total;
        enum Kind: string { case Small = 's'; public function label(): string { return self::Small->value; } }
        class Basket {
            private Item $first;
            public function sum(Aid $aid, $odd) {
                $item = new Item($aid);
                $item->next()->self()->name();
                $aid->run()->saved();
                Item::make()->cost(2);
                foreach ($item->parts as $part) { $part->next(); }
                if ($odd) { $either = new Aid(); } else { $either = $this->first; }
                $either->saved();
                $f = fn (Item $x) => $x->cost(3);
                helper(Kind::Small);
                return total($this->first) + Item::LIMIT + \\Shop\\Core\\total($item);
            }
        }
        """,
    "src/functions.php": "<?php\nfunction helper($kind) { return $kind; }\nclass Item { function cost() {} }\n",
}

RUBY: Project = {
    "lib/shop/item.rb": """
        require_relative "helper"
        module Shop
          class Item < Base
            include Named
            LIMIT = 3
            attr_accessor :next
            before_action :check
            def initialize(name)
              @name = name
              @helper = Helper.new
            end
            def cost(count) = count + LIMIT
            def run
              @helper.work.cost(1)
              check
              named.cost(2)
              self.next = Item.make
            end
            def self.make(*args) = new(*args)
            class << self
              def build; make.run; end
            end
            private
            def check; saved; end
          end
        end
        """,
    "lib/shop/helper.rb": """
        module Shop
          class Base
            def saved; self; end
          end
          module Named
            def named; self; end
          end
          class Helper
            def work; Item.new("x"); end
          end
        end
        def top_level; end
        """,
    "app/main.rb": """
        require "shop/item"
        class Main
          def go(list)
            item = Shop::Item.new("a")
            item.run
            Shop::Item.build
            [Shop::Item.make].each { |each| each.cost(3) }
            if list then other = Shop::Helper.new else other = item end
            other.work
            top_level
            Shop::Item::LIMIT
          end
        end
        class Item; def run; end; end
        """,
}

SWIFT: Project = {
    "Sources/Core/Item.swift": """
        public protocol Priced { func cost(count: Int) -> Int }
        public class Base { public func saved() -> Self { return self } }
        public class Item: Base, Priced {
            public var next: Item?
            public let parts: [Item] = []
            static let none = Item(name: "x")
            init(name: String) { super.init() }
            public func cost(count: Int) -> Int { return count }
            public func cost(count: Int, taxed: Bool) -> Int { return cost(count: count) }
        }
        public enum Kind { case small, large }
        """,
    "Sources/Core/More.swift": """
        extension Item { public func more() -> Item { return saved() } }
        struct Box<T: Priced> { let value: T; func open() -> Int { return value.cost(count: 1) } }
        """,
    "Sources/Web/Basket.swift": """
        import Core
        class Basket {
            private let first: Item
            var total: Int { return first.cost(count: 2) }
            func sum(item: Item?) -> Int {
                for part in first.parts { part.more() }
                guard let found = item else { return 0 }
                found.next?.more().saved()
                let made = Item(name: "y")
                made.cost(count: 3, taxed: true)
                first.parts.forEach { one in one.more() }
                return total + Item.none.cost(count: 4)
            }
        }
        extension Item { func web() { more() } }
        """,
}

SHELL: Project = {
    "bin/run.sh": """
        #!/bin/bash
        source "$(dirname "$0")/../lib/common.sh"
        NAME=x
        main() { local limit=1; greet "$NAME" "$limit"; trap leave EXIT; }
        leave() { echo "$LIMIT"; }
        main | greet
        """,
    "lib/common.sh": "LIMIT=3\ngreet() { echo $1; }\n",
    "other/common.sh": "greet() { :; }\n",
}

PROJECTS: Mapping[str, Project] = {
    "java": JAVA, "rust": RUST, "c": C, "cpp": CPP, "csharp": CSHARP, "php": PHP, "ruby": RUBY, "swift": SWIFT,
    "shell": SHELL,
}  # fmt: skip
