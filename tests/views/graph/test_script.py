import pytest
from support.graphs import Graph

FILES = {
    "tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}}',
    "src/shop/cart.ts": """
        import type { Item } from "./item";

        export interface Priced { price(): number }

        export abstract class Base<T> {
            protected held: T;
            all(): T[] { return []; }
            first(): T { return this.held; }
        }

        export class Cart extends Base<Item> implements Priced {
            constructor(private readonly owner: Owner, public note: string) { super(); }
            price(): number { return this.total(1); }
            total = (n: number) => n;
            async load(): Promise<Item> { return this.first(); }
            get boss() { return this.owner; }
            static make(): Cart { return new Cart(null!, ""); }
        }

        export class Owner { greet() {} }
        """,
    "src/shop/item.ts": """
        import { Owner } from "./cart";
        export class Item { label(): string { return ""; } owner?: Owner }
        export const items: Item[] = [];
        export type Pair = { left: Item } & Partial<Item>;
        export enum Size { Big, Small }
        export namespace Tools { export function cut(): Item { return null!; } }
        """,
    "src/shop/index.ts": """
        export * from "./cart";
        export { Item as Thing, items, Tools } from "./item";
        export { default } from "./main";
        export * as whole from "./item";
        """,
    "src/shop/main.ts": """
        import { Cart } from "./cart";
        export default function open(): Cart { return Cart.make(); }
        """,
    "src/old.js": """
        const helper = () => new Tool();
        class Tool { run() { this.size = 1; return this; } }
        module.exports = { helper, Tool, deep: { Tool } };
        """,
    "src/api.ts": """
        import { Item } from "./shop/item";
        function fetchItem(): Promise<Item> { return null!; }
        export const api = { fetchItem, nested: { find(id: string): Item { return null!; } } };
        export function useThing() { const open = () => new Item(); return { open, close() {} }; }
        """,
}
HEAD = """
import open, { Cart, Thing, items, Tools, whole } from "@/shop";
import type { Pair } from "@/shop/item";
import { api, useThing } from "./api";
const old = require("./old");
"""


def graph(body: str) -> Graph:
    return Graph.of(
        FILES | {"src/use.ts": f"{HEAD}\nasync function run(cart: Cart) {{\n{body}\n}}\n"}
    )


@pytest.mark.parametrize(
    ("body", "needle", "name"),
    [
        ("open()", "ope|n()", "src/shop/main.ts:open"),
        ("open().price()", ".pric|e", "src/shop/cart.ts:Cart.price"),
        ("cart.first().label()", ".labe|l", "src/shop/item.ts:Item.label"),
        ("cart.all().map(one => one.label())", ".labe|l", "src/shop/item.ts:Item.label"),
        ("cart.all().filter(x => x)[0].label()", ".labe|l", "src/shop/item.ts:Item.label"),
        ("(await cart.load()).label()", ".labe|l", "src/shop/item.ts:Item.label"),
        ("cart.load().then(one => one.label())", ".labe|l", "src/shop/item.ts:Item.label"),
        ("cart.boss.greet()", ".gree|t", "src/shop/cart.ts:Owner.greet"),
        ("cart.total(1)", ".tota|l", "src/shop/cart.ts:Cart.total"),
        ("cart.note", ".not|e", "src/shop/cart.ts:Cart.note"),
        ("new Thing().owner?.greet()", ".gree|t", "src/shop/cart.ts:Owner.greet"),
        ("for (const one of items) one.label()", ".labe|l", "src/shop/item.ts:Item.label"),
        ("const [a] = items; a.label()", ".labe|l", "src/shop/item.ts:Item.label"),
        ("const { owner } = new Thing(); owner.greet()", ".gree|t", "src/shop/cart.ts:Owner.greet"),
        ("const f = ({ owner: o }: Thing) => o.greet()", ".gree|t", "src/shop/cart.ts:Owner.greet"),
        ("Tools.cut().label()", ".cu|t", "src/shop/item.ts:Tools.cut"),
        ("Tools.cut().label()", ".labe|l", "src/shop/item.ts:Item.label"),
        ("new whole.Item().label()", ".labe|l", "src/shop/item.ts:Item.label"),
        ("(x as Pair).left.label()", ".labe|l", "src/shop/item.ts:Item.label"),
        ("if (x instanceof Thing) { x.label() }", ".labe|l", "src/shop/item.ts:Item.label"),
        ("api.nested.find('a').label()", ".fin|d", "src/api.ts:api.find"),
        ("api.nested.find('a').label()", ".labe|l", "src/shop/item.ts:Item.label"),
        ("(await api.fetchItem()).label()", ".fetchIte|m", "src/api.ts:fetchItem"),
        ("(await api.fetchItem()).label()", ".labe|l", "src/shop/item.ts:Item.label"),
        ("const { open: o } = useThing(); o().label()", ".labe|l", "src/shop/item.ts:Item.label"),
        ("old.helper().run()", ".helpe|r", "src/old.js:helper"),
        ("old.helper().run()", ".ru|n", "src/old.js:Tool.run"),
        ("new old.deep.Tool().run()", ".ru|n", "src/old.js:Tool.run"),
    ],
)  # fmt: skip
def test_a_use_leads_to_its_definition(body: str, needle: str, name: str) -> None:

    assert graph(body).leads("src/use.ts", needle) == [name]


@pytest.mark.parametrize(
    ("body", "needle"),
    [("console.log(1)", "lo|g"), ("x.label()", "labe|l"), ("cart.nothing()", "nothin|g"), ("items.push(1)", "pus|h")],
)  # fmt: skip
def test_what_is_not_known_leads_nowhere(body: str, needle: str) -> None:
    assert graph(body).leads("src/use.ts", needle) == []


def test_elements_lead_to_their_components_and_bases_are_types() -> None:
    files = FILES | {
        "src/view.tsx": """
            import { Cart } from "@/shop";
            export const Row = ({ cart }: { cart: Cart }) => <li>{cart.price()}</li>;
            export const Table = () => <ul><Row cart={null!} /></ul>;
            """
    }
    found = Graph.of(files)
    assert found.leads("src/view.tsx", "<Ro|w") == ["src/view.tsx:Row"]
    assert found.leads("src/view.tsx", "cart.pric|e") == ["src/shop/cart.ts:Cart.price"]
    below = found.view.subclasses(found.symbol("Base"))
    assert [item.qualified for item in below] == ["Cart"]
    assert [item.qualified for item in found.view.subclasses(found.symbol("Priced"))] == ["Cart"]


def test_updates_are_rebuilds() -> None:
    before = graph("cart.first().label()")
    for edit in (
        {"tsconfig.json": "{}"},
        {"src/shop/index.ts": 'export * from "./main";\n'},
        {"src/shop/item.ts": "export class Item { }\n"},
        {"src/shop/cart.ts": None, "src/shop/cart.tsx": FILES["src/shop/cart.ts"]},
    ):
        after = before.source.changed(edit)
        rebuilt = Graph.of({path: data.decode() for path, data in after.texts.items()})
        again = graph("cart.first().label()")
        again.view.apply(after, before.source.delta(after))
        assert again.view.digest() == rebuilt.view.digest()
