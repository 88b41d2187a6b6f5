from textwrap import dedent

from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.facts.model import Facts
from aoci_agent.aoci.layers import layer_of
from aoci_agent.aoci.traits import traits_of


def facts(path: str, text: str) -> Facts:
    found = extract(path, dedent(text).encode())
    assert not found.problem
    return found


def shown(found: Facts, *, public: bool = True) -> set[str]:
    return {
        f"{s.owner}.{s.name}" if s.owner else s.name for s in found.symbols if s.public is public
    }


def said(found: Facts, name: str) -> str:
    return next(symbol.doc for symbol in found.symbols if symbol.name == name)


RUST = """
//! Walks a tree of files. And more.

use std::{env, fs::File};
use crate::store::{self, Store as Kept, error::Error};
use serde::Serialize;
pub use self::inner::Found;
pub use crate::shape::*;

mod inner;
#[path = "odd.rs"]
mod strange;

/// How deep to look.
const DEPTH: usize = 5;
pub(crate) static NAME: &str = r"a\\";

/// What was found, and where.
#[derive(Debug, Serialize)]
#[serde(
    rename_all = "camelCase"
)]
pub struct Hit<'a> {
    pub path: &'a str,
    depth: u32,
}

/** One of two. */
pub enum Kind {
    /// Text, with a comma.
    Plain,
    Tagged { a: u8, b: u8 },
    Pair(u8, Vec<u8>),
}

pub trait Visit: Send {
    /// Called for each.
    fn seen(&self, hit: &Hit<'_>) -> bool { true }
}

impl<'a> Hit<'a> {
    /// Makes one.
    pub fn new(path: &'a str) -> Self { Self { path, depth: store::depth() } }
    fn secret(&self) {}
}

impl Visit for Walker {
    fn seen(&self, hit: &Hit<'_>) -> bool { false }
}
impl std::fmt::Display for Walker {}
pub struct Walker(u8);

fn hidden() -> Result<(), Error> {
    let quote = '"';
    let _ = env::var("WALK_HOME")?;
    let kept: Kept = Kept::open(File::open("x")?); // Kept Kept
    regex::Regex::new("a::b")?;
    Err(Error::NotFound)
}

#[macro_export]
macro_rules! walk { () => {} }

#[derive(thiserror::Error, Debug)]
pub enum WalkError {
    #[error("gone")]
    Gone,
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn walks_down() { super::hidden(); }
    #[tokio::test]
    async fn walks_up() {}
}
"""


def test_rust() -> None:
    found = facts("src/walk.rs", RUST)
    assert found.doc == "Walks a tree of files. And more."
    assert shown(found) >= {"Hit", "Kind", "Visit", "Visit.seen", "Hit.new", "NAME", "walk"}
    assert shown(found, public=False) == {"DEPTH", "Hit.secret", "hidden"}
    assert said(found, "Hit") == "What was found, and where"
    assert said(found, "new") == "Makes one"
    walker = next(symbol for symbol in found.symbols if symbol.name == "Walker")
    assert walker.bases == ("Visit",)
    assert set(found.shapes) >= {"Hit{path,depth}", "Kind:Plain¦Tagged¦Pair"}
    assert found.env == ("WALK_HOME",)
    assert found.raises == ("WalkError", "Error::NotFound")
    assert found.constants == ("DEPTH=5",)
    assert found.cases == ("walks_down", "walks_up")
    assert found.exports == ("Found",)
    imports = {item.module: dict(item.names) for item in found.imports}
    assert imports["crate::store"] == {"*": 1, "Store": 2, "depth": 1}
    assert imports["crate::store::error"] == {"Error": 3}
    assert imports["regex"] == {"Regex": 1}
    assert "a" not in imports
    assert dict(found.settings)["mod strange"] == "odd.rs"
    assert layer_of("src/walk.rs", found) != "T"
    assert "F" in traits_of(found, ())


def test_rust_programs_and_services() -> None:
    found = facts(
        "src/cli.rs",
        """
        use clap::{Parser, Subcommand};
        #[derive(Parser)]
        #[command(name = "tool", about = "Does things to files.")]
        pub struct Opts {
            #[arg(long, short = 'H', help = "a [b] c")]
            pub hidden: bool,
            #[arg(long = "max-depth", env = "TOOL_DEPTH")]
            depth: usize,
            #[arg(short)]
            only_short: bool,
        }
        #[derive(Debug, Subcommand)]
        pub enum Command {
            /// Adds one.
            AddItem { name: String },
            #[command(name = "rm")]
            Remove,
        }
        fn run() { std::process::Command::new("git").arg("x"); }
        """,
    )
    assert found.doc == "Does things to files."
    assert found.commands == ("add-item", "rm")
    assert found.notes == ("flags --hidden, --max-depth",)
    assert found.env == ("TOOL_DEPTH",)
    built = (
        'use clap;\nlet a = Command::new("tool").about("x").arg(Arg::new("v").long("verbose"));\n'
    )
    assert facts("src/main.rs", built).commands == ("tool",)
    service = facts(
        "src/routes.rs",
        """
        use axum::{routing::get, Router};
        pub fn app() -> Router {
            Router::new().route("/items", get(list).post(create)).route("/items/{id}", delete(gone))
        }
        #[get("/old/<id>")]
        async fn old() { sqlx::query("SELECT id FROM items WHERE id = $1"); }
        diesel::table! { users (id) { id -> Integer, } }
        """,
    )
    assert service.routes == (
        *("GET /old/<id>", "GET /items", "POST /items", "DELETE /items/{id}"),
    )
    assert service.tables == ("users ddl", "items r")


def test_c() -> None:
    source = facts(
        "src/list.c",
        """
        /* list.c - A list.
         *
         * Copyright (c) 2006, Somebody. All rights reserved.
         *
         * Redistribution and use in source and binary forms are permitted provided that
         * the following conditions are met:
         */
        #include "list.h"
        #include <stdlib.h>
        #define LIST_MAX 64
        static int helper(void) { return getenv("LIST_DEBUG") != NULL; }
        int later(list *l);
        /* Makes a list.
         * The rest. */
        list *listCreate(void) { return helper() ? NULL : lower(NULL); }
        static struct cmd table[] = {
            {"add", addCommand, 1}, {"del", delCommand, 2}, {"show", showCommand, 0},
        };
        int main(int argc, char **argv) { return 0; }
        """,
    )
    assert source.doc == "A list."
    assert shown(source) == {"listCreate"}
    assert {"helper", "main", "LIST_MAX"} <= shown(source, public=False)
    assert said(source, "listCreate") == "Makes a list"
    assert source.env == ("LIST_DEBUG",)
    assert source.commands == ("add", "del", "show")
    assert source.constants == ("LIST_MAX=64",)
    assert [(item.module, item.level) for item in source.imports] == [
        ("list.h", 0),
        ("stdlib.h", 1),
    ]
    header = facts(
        "src/list.h",
        """
        #ifndef LIST_H
        #define LIST_H
        #ifdef __cplusplus
        extern "C" {
        #endif
        typedef struct list {
            struct node *head, *tail;
            unsigned long len;
            void (*drop)(void *p);
            char name[16];
        } list;
        typedef enum { LIST_HEAD = 0, LIST_TAIL } where;
        typedef int (*compare)(void *, void *);
        extern int listCount;
        #define listLength(l) ((l)->len)
        list *listCreate(void);
        #endif
        """,
    )
    assert header.language == "c"
    assert shown(header) >= {
        *("list", "where", "compare", "listLength", "listCreate", "LIST_TAIL", "listCount"),
    }
    assert set(header.shapes) == {"list{tail,len,drop,name}", "where:LIST_HEAD¦LIST_TAIL"}


CPP = """
// Copyright 2011 The Authors. All rights reserved.
// Use of this source code is governed by a licence.
//
// Keeps things in order.

#include <string>
namespace store {
constexpr int kMax = 7;
enum class Color { Red, Blue = 2 };
class LIB_EXPORT Table : public Base, private Other<int> {
 public:
  Table() = default;
  // Opens it.
  static Status Open(const Options& options, Table** out);
  const char* name() const { return n_; }
 protected:
  virtual int& Low() LOCKS_HELD(mu_);
 private:
  void Hidden();
  int x_;
};
template <typename T>
struct Pair : Base { T first; T second; int sum() const; };
using Map = int;
// Adds.
template <class T> T add(T a, T b);
}
"""


def test_cpp() -> None:
    header = facts("include/table.h", CPP)
    assert header.language == "cpp"
    assert header.doc == "Keeps things in order."
    assert shown(header) >= {"Table", "Table.Open", "Table.name", "Pair.sum", "Map", "add", "kMax"}
    assert shown(header, public=False) >= {"Table.Low", "Table.Hidden"}
    assert "Table.Table" not in shown(header)
    table = next(symbol for symbol in header.symbols if symbol.name == "Table")
    assert table.bases[:2] == ("Base", "Other")
    assert said(header, "Open") == "Opens it"
    assert said(header, "add") == "Adds"
    assert set(header.shapes) >= {"Pair{first,second}", "Color:Red¦Blue"}
    source = facts(
        "src/table.cc",
        """
        #include "include/table.h"
        namespace store {
        namespace { int Private() { throw std::runtime_error("x"); } }
        Status Table::Open(const Options& o, Table** t) LOCKS_EXCLUDED(mu_) { return Private(); }
        const char* Table::name() const { return ""; }
        int Free() { return 1; }
        struct Local {
          Local()
              :
        #if DEBUG
                a_(1),
        #endif
                b_(2) {}
        };
        }
        """,
    )
    assert source.notes == ("implements Table: Open, name",)
    assert shown(source) == {"Free"}
    assert source.raises == ("runtime_error",)
    tests = facts(
        "src/table_test.cc", '#include "a.h"\nTEST_F(TableTest, Opens) {}\nTEST(A, B) { }\n'
    )
    assert tests.cases == ("TableTest.Opens", "A.B")
    assert layer_of("src/table_test.cc", tests) == "T"
    assert not shown(tests)


SWIFT = """
//
//  Walk.swift
//  Tool
//
//  Created by Somebody on 1/2/24.
//

import ArgumentParser
@testable import struct Core.Engine

/// Walks a tree. And more.
@main
public struct WalkTree: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "walk", abstract: "Walks.")
  @Flag(name: .shortAndLong, help: "All (of them).") var showAll = false
  @Option(name: [.customLong("max-depth"), .short]) var depth: Int = 3
  let root: String
  var computed: Int { 1 }
  /// Runs it.
  public mutating func run() throws { throw WalkError.gone; Engine().go() }
  private func secret() {}
}
enum WalkError: Error { case gone, late(Int) }
extension String { func trimmed() -> String { self } }
public protocol Visiting: AnyObject { func visit(_ x: Int) }
fileprivate class Hidden {}
let limit = 3
func topLevel() {}
let home = ProcessInfo.processInfo.environment["WALK_HOME"]
"""


def test_swift() -> None:
    found = facts("Sources/Tool/Walk.swift", SWIFT)
    assert found.doc == ""
    assert said(found, "WalkTree") == "Walks a tree"
    assert shown(found) >= {
        *("WalkTree", "WalkTree.run", "WalkError", "Visiting.visit", "String.trimmed", "topLevel"),
    }
    assert shown(found, public=False) == {"Hidden", "WalkTree.secret"}
    assert found.commands == ("walk",)
    assert found.notes == ("extends String", "flags --show-all, --max-depth")
    assert found.raises == ("WalkError", "WalkError.gone")
    assert found.env == ("WALK_HOME",)
    assert found.constants == ("limit=3",)
    assert set(found.shapes) == {"WalkTree{showAll,depth,root}", "WalkError:gone¦late"}
    assert [item.module for item in found.imports] == ["ArgumentParser", "Core"]
    error = next(symbol for symbol in found.symbols if symbol.name == "WalkError")
    assert (error.kind, error.bases) == ("enum", ("Error",))


def test_swift_services_and_tests() -> None:
    service = facts(
        "Sources/App/routes.swift",
        """
        import Vapor
        func routes(_ app: Application) throws {
            let todos = app.grouped("api", "todos")
            todos.get(use: list)
            todos.delete(":id") { req in .ok }
            app.get("health") { _ in "ok" }
            cache.get("nothing")
        }
        final class Todo: Model { static let schema = "todos" }
        """,
    )
    assert service.routes == ("GET /api/todos", "DELETE /api/todos/:id", "GET /health")
    assert service.tables == ("todos r",)
    tests = facts(
        "Tests/AppTests/A.swift",
        """
        import XCTest
        final class ATests: XCTestCase { func testOpens() {} }
        @Test("closes at night") func closes() {}
        @Test func sleeps() {}
        """,
    )
    assert tests.cases == ("testOpens", "closes at night", "sleeps")
    assert layer_of("Tests/AppTests/A.swift", tests) == "T"
