"""Definitions of JavaScript, TypeScript, and components."""

from textwrap import dedent

from support.outlines import definitions, told

TYPED = """
import { Base } from './base'

/** One order. */
@Injectable({
  scope: 'x',
})
export class Order<T> extends Base<T> implements Shown, Sold<T> {
  private readonly rank: number = 1
  @Input()
  name?: string
  static #count = 0
  close = async (event: Event): Promise<void> => {}

  constructor(private readonly store: Store<T>, { a, b }: Options = {}, public deep = false) {
    super()
    this.seen = true
    const local = () => 1
  }

  get total(): number { return 1 }
  abstract shown(on: Page): void
}

export interface Shown extends Named, Kept<K> { title: string; show(page: Page): void }
type Options = { a: string }
enum State { Open, Shut = 'shut' }
export namespace Rules { export const LIMIT = 3; export function check() {} }
declare function declared(a: string): void
function over(a: string): void
function over(a: any) { return { method() {}, arrow: () => 1 } }

export const routes: Route[] = [],
  table = { list() {}, find: async (id) => {}, deep: { get: function () {} }, plain: 1 }
export const Shell = React.memo(({ title }: Props) => { function inner() {} })
let current: Order<string>
export default defineStore('x', { actions: { load() {} } })
"""


def test_typescript() -> None:
    assert told("a.ts", TYPED) == dedent(
        """\
        class Order 3-22
        field Order.rank 8-8
        field Order.name 9-10
        field Order.#count 11-11
        method Order.close 12-12
        method Order.constructor 14-18
        field Order.store 14-14
        field Order.deep 14-14
        field Order.seen 16-16
        function Order.constructor.local 17-17
        method Order.total 20-20
        method Order.shown 21-21
        interface Shown 24-24
        field Shown.title 24-24
        method Shown.show 24-24
        type Options 25-25
        field Options.a 25-25
        enum State 26-26
        constant State.Open 26-26
        constant State.Shut 26-26
        namespace Rules 27-27
        constant Rules.LIMIT 27-27
        function Rules.check 27-27
        function declared 28-28
        function over 29-29
        function over 30-30
        method over.method 30-30
        constant routes 32-32
        constant table 33-33
        method table.list 33-33
        method table.find 33-33
        method table.get 33-33
        function Shell 34-34
        function Shell.inner 34-34
        variable current 35-35
        constant default 36-36
        method default.load 36-36"""
    )


def test_heads_of_typescript() -> None:
    found = definitions("a.ts", TYPED)
    assert found["Order"].bases == ("Base", "Shown", "Sold")
    assert found["Order"].signature == (
        "export class Order<T> extends Base<T> implements Shown, Sold<T>"
    )
    assert found["Shown"].bases == ("Named", "Kept")
    assert found["Order.constructor"].parameters == (
        ("store", "Store<T>"), ("{ a, b }", "Options"), ("deep", ""),
    )  # fmt: skip
    assert found["Order.store"].type == "Store<T>"
    assert found["Order.close"].type == "Promise<void>"
    assert found["current"].type == "Order<string>"
    assert [name for name, item in found.items() if item.declared] == [
        "Order.shown", "Shown.show", "declared", "over",
    ]  # fmt: skip


UNTYPED = """
const fs = require('fs'), limit = 3
module.exports.read = function (path, { deep = true } = {}, ...more) {}
exports.Reader = class extends Base {}
// Reads.
File.prototype.read = function () { this.pos = 0 }
File.prototype = { close: function () {}, size: 1 }
File.open = async (path) => {}
class Stream extends events.Emitter {
  state = 1
  static make = () => new Stream();
  *walk() { this.at = 2 }
}
function* all() {}
const { a, b } = fs
const wrapped = (() => { function hidden() {} })()
app.use(() => { const local = 1 })
module.exports = { one() {}, two: () => {} }
"""


def test_javascript() -> None:
    assert told("a.cjs", UNTYPED) == dedent(
        """\
        constant limit 1-1
        function read 2-2
        class Reader 3-3
        method File.read 4-5
        method File.close 6-6
        method File.open 7-7
        class Stream 8-12
        field Stream.state 9-9
        method Stream.make 10-10
        method Stream.walk 11-11
        field Stream.at 11-11
        function all 13-13
        constant wrapped 15-15
        function wrapped.hidden 15-15
        constant default 17-17
        method default.one 17-17
        method default.two 17-17"""
    )
    found = definitions("a.cjs", UNTYPED)
    assert found["read"].parameters == (("path", ""), ("{ deep = true }", ""), ("more", ""))
    assert found["Stream"].bases == ("events.Emitter",)
    assert found["Reader"].bases == ("Base",)


def test_defaults_have_a_place() -> None:
    found = definitions("a.tsx", "export default function (props: P) { return <A /> }\n")
    assert (found["default"].kind, found["default"].column) == ("function", 15)
    found = definitions("a.js", "export default class extends Q { run() {} }\n")
    assert found["default"].bases == ("Q",)
    assert found["default.run"].kind == "method"


COMPONENT = """
<!-- Shown “everywhere” -->
<template><b>é {{ x }}</b></template>
<script lang="ts">export const früh = 1, spät: Later = 2
</script>

<script setup lang="ts">
import x from 'y'
/** Twice. */
function twice(a: string): number { return 1 }
</script>
<style>.a { color: red }</style>
"""


def test_components_keep_their_lines() -> None:
    found = definitions("a.vue", COMPONENT)
    assert [(item.name, item.start, item.line, item.column) for item in found.values()] == [
        ("früh", 3, 3, 31), ("spät", 3, 3, 41), ("twice", 8, 9, 9),
    ]  # fmt: skip
    assert found["spät"].type == "Later"
    assert told(
        "a.svelte", "<script>\n  let x = 1\n  const f = () => x\n</script>\n<p>{x}</p>\n"
    ) == ("variable x 2-2\nfunction f 3-3")
    assert told("a.vue", "<template><p/></template>\n") == ""
