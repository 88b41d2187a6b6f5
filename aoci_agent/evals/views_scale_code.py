"""A made-up repository of any size, in several languages: the same for the same numbers."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

_VERBS = [
    "load",
    "store",
    "parse",
    "render",
    "merge",
    "split",
    "check",
    "count",
    "fetch",
    "build",
    "apply",
    "reduce",
    "encode",
    "decode",
    "match",
    "filter",
    "sort",
    "group",
    "index",
    "resolve",
    "schedule",
    "cancel",
    "retry",
    "flush",
    "open",
    "close",
    "lock",
    "publish",
    "verify",
    "convert",
    "estimate",
    "allocate",
    "release",
    "balance",
    "inspect",
    "compare",
    "record",
    "replay",
    "forward",
    "reject",
]
_NOUNS = [
    "order",
    "parcel",
    "invoice",
    "customer",
    "route",
    "depot",
    "carrier",
    "label",
    "price",
    "discount",
    "zone",
    "weight",
    "account",
    "session",
    "token",
    "header",
    "payload",
    "queue",
    "worker",
    "cursor",
    "buffer",
    "segment",
    "column",
    "record",
    "ledger",
    "batch",
    "signal",
    "channel",
    "policy",
    "budget",
    "region",
    "network",
    "packet",
    "schema",
    "snapshot",
    "window",
    "metric",
    "alert",
    "user",
    "contract",
    "region",
    "courier",
    "pallet",
    "customs",
    "refund",
    "voucher",
    "shipment",
    "tariff",
    "warehouse",
    "stock",
    "shelf",
]
PER_FOLDER = 20


class Thing(NamedTuple):
    """What one file is about; `other` is the thing of the file it calls."""

    noun: str
    verbs: tuple[str, ...]
    number: int

    @property
    def type(self) -> str:
        """A name for its type."""
        return f"{self.noun.title()}{self.verbs[0].title()}{self.number}"


class Language(NamedTuple):
    """A suffix, and how a file is written: thing, the thing it uses, its number in the folder."""

    suffix: str
    write: Callable[[Thing, Thing], str]


def _python(thing: Thing, other: Thing) -> str:
    head = f'"""{thing.noun.title()} handling, part {thing.number}."""\n\nfrom dataclasses import dataclass\n\n'
    head += (
        f"from .m{other.number} import {other.type}\n\nLIMIT_{thing.number} = {thing.number}\n\n\n"
    )
    body = f"@dataclass\nclass {thing.type}:\n    {thing.noun}: str\n    amount: int = 0\n"
    for verb in thing.verbs:
        body += (
            f"\n    def {verb}_{thing.noun}(self, other: {other.type}, limit: int = 10) -> int:\n"
        )
        body += f'        """{verb.title()} the {thing.noun} up to a limit."""\n'
        body += "        total = self.amount\n        for step in range(limit):\n"
        body += "            total += other.amount * step\n"
        body += f"            if total > LIMIT_{thing.number}:\n                return total\n"
        body += f"        return other.{other.verbs[0]}_{other.noun}(other, limit - 1)\n"
    verb = thing.verbs[-1]
    return (
        f"{head}{body}\n\ndef make_{thing.noun}_{thing.number}(name: str) -> {thing.type}:\n"
        f"    made = {thing.type}(name)\n    made.{verb}_{thing.noun}({other.type}(name))\n"
        f"    return made\n"
    )


def _typescript(thing: Thing, other: Thing) -> str:
    text = f'import {{ {other.type} }} from "./m{other.number}";\n\n'
    text += f"export interface {thing.type}Options {{\n  {thing.noun}: string;\n  amount?: number;\n}}\n\n"
    text += f"export class {thing.type} {{\n  amount = 0;\n"
    text += f"  constructor(private options: {thing.type}Options) {{}}\n"
    for verb in thing.verbs:
        text += f"\n  /** {verb.title()} the {thing.noun}. */\n"
        text += f"  {verb}{thing.noun.title()}(other: {other.type}, limit = 10): number {{\n"
        text += "    let total = this.amount;\n    for (let i = 0; i < limit; i++) {\n"
        text += "      total += other.amount * i;\n    }\n"
        text += f"    return total + other.{other.verbs[0]}{other.noun.title()}(other, limit - 1);\n  }}\n"
    return (
        f"{text}}}\n\nexport function make{thing.type}(name: string): {thing.type} {{\n"
        f"  return new {thing.type}({{ {thing.noun}: name }});\n}}\n"
    )


def _go(thing: Thing, other: Thing) -> str:
    text = f'package {_package(thing)}\n\nimport "fmt"\n\n// {thing.type} holds a {thing.noun}.\n'
    text += f"type {thing.type} struct {{\n\tName   string\n\tAmount int\n}}\n"
    for verb in thing.verbs:
        name = f"{verb.title()}{thing.noun.title()}"
        text += f"\n// {name} does its part.\nfunc (t *{thing.type}) {name}(other *{other.type}, limit int) int {{\n"
        text += "\ttotal := t.Amount\n\tfor i := 0; i < limit; i++ {\n\t\ttotal += other.Amount * i\n\t}\n"
        text += f'\tfmt.Println("{thing.noun}", total)\n'
        text += f"\treturn other.{other.verbs[0].title()}{other.noun.title()}(other, limit-1)\n}}\n"
    return (
        f"{text}\nfunc New{thing.type}(name string) *{thing.type} {{\n"
        f"\treturn &{thing.type}{{Name: name}}\n}}\n"
    )


def _rust(thing: Thing, other: Thing) -> str:
    text = f"use super::m{other.number}::{other.type};\n\n/// Holds a {thing.noun}.\n"
    text += f"pub struct {thing.type} {{\n    pub name: String,\n    pub amount: i64,\n}}\n\n"
    text += f"impl {thing.type} {{\n    pub fn new(name: &str) -> Self {{\n"
    text += "        Self { name: name.to_string(), amount: 0 }\n    }\n"
    for verb in thing.verbs:
        text += f"\n    /// {verb.title()} it.\n"
        text += (
            f"    pub fn {verb}_{thing.noun}(&self, other: &{other.type}, limit: i64) -> i64 {{\n"
        )
        text += "        let mut total = self.amount;\n        for step in 0..limit {\n"
        text += "            total += other.amount * step;\n        }\n"
        text += f"        total + other.{other.verbs[0]}_{other.noun}(other, limit - 1)\n    }}\n"
    return text + "}\n"


def _java(thing: Thing, other: Thing) -> str:
    text = f"package org.example.{_package(thing)};\n\n/** Holds a {thing.noun}. */\n"
    text += (
        f"public class {thing.type} {{\n    public int amount;\n    private final String name;\n\n"
    )
    text += f"    public {thing.type}(String name) {{\n        this.name = name;\n    }}\n"
    for verb in thing.verbs:
        text += f"\n    public int {verb}{thing.noun.title()}({other.type} other, int limit) {{\n"
        text += "        int total = this.amount;\n        for (int i = 0; i < limit; i++) {\n"
        text += "            total += other.amount * i;\n        }\n"
        text += f"        return total + other.{other.verbs[0]}{other.noun.title()}(other, limit - 1);\n    }}\n"
    return text + "}\n"


def _c(thing: Thing, other: Thing) -> str:
    kind, used = thing.type.lower(), other.type.lower()
    text = f"#include <stddef.h>\n\n#define {kind.upper()}_LIMIT {thing.number}\n\n"
    text += f"struct {kind} {{\n    int amount;\n    const char *name;\n}};\nstruct {used};\n"
    for verb in thing.verbs:
        text += f"\n/* {verb.title()} the {thing.noun}. */\n"
        text += f"int {kind}_{verb}(struct {kind} *self, struct {used} *other, int limit)\n{{\n"
        text += "    int total = self->amount;\n    for (int i = 0; i < limit; i++) {\n"
        text += f"        if (total > {kind.upper()}_LIMIT)\n            break;\n        total += i;\n    }}\n"
        text += f"    return total + {used}_{other.verbs[0]}(other, NULL, limit - 1);\n}}\n"
    return text


LANGUAGES = {
    "python": Language(".py", _python),
    "web": Language(".ts", _typescript),
    "go": Language(".go", _go),
    "rust": Language(".rs", _rust),
    "java": Language(".java", _java),
    "c": Language(".c", _c),
}


def _package(thing: Thing) -> str:
    return f"p{thing.number // PER_FOLDER}"


def write_repository(root: Path, files: int) -> Iterator[Path]:
    """Write so many source files below `root`, by turns in every language; gives each one's path."""
    things = [_thing(number) for number in range(files)]
    names = list(LANGUAGES)
    for number, thing in enumerate(things):
        folder_of = number // PER_FOLDER
        name = names[folder_of % len(names)]
        language = LANGUAGES[name]
        first = folder_of * PER_FOLDER
        count = min(PER_FOLDER, files - first)
        other = things[first + (number - first + 7) % count]
        path = root / name / f"p{folder_of}" / f"{_file_name(name, thing)}{language.suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(language.write(thing, other), encoding="utf-8")
        yield path


def _file_name(language: str, thing: Thing) -> str:
    return thing.type if language == "java" else f"m{thing.number}"


def _thing(number: int) -> Thing:
    choose = random.Random(number)
    return Thing(choose.choice(_NOUNS), tuple(choose.sample(_VERBS, choose.randint(3, 7))), number)
