"""Small projects in the languages of the graph that compile to machine code."""

from collections.abc import Mapping

Project = Mapping[str, str]

RUST: Project = {
    "Cargo.toml": '[workspace]\nmembers = ["core", "app"]\n',
    "core/Cargo.toml": '[package]\nname = "shop-core"\n',
    "core/src/lib.rs": """
        pub mod item;
        pub use item::{Item, Kind};
        mod inner;
        #[macro_export]
        macro_rules! priced { ($x:expr) => { $x }; }
        """,
    "core/src/item.rs": """
        use crate::inner::Helper;
        pub struct Item { pub name: String, pub next: Option<Box<Item>> }
        pub enum Kind { Small(Item), Large { item: Item }, Odd }
        pub trait Priced { fn cost(&self) -> u32; fn twice(&self) -> u32 { self.cost() * 2 } }
        impl Item {
            pub fn new(name: &str) -> Self { Item { name: name.to_string(), next: None } }
            pub fn helper(&self) -> Helper { Helper {} }
            pub fn follow(&self) -> Option<&Item> { self.next.as_deref() }
        }
        impl Priced for Item { fn cost(&self) -> u32 { 1 } }
        impl Kind { pub fn item(self) -> Item { match self { Kind::Small(it) => it, Kind::Large { item } => item, Kind::Odd => Item::new("x") } } }
        #[cfg(test)]
        mod tests {
            use super::*;
            #[test]
            fn works() { let it = Item::new("y"); assert_eq!(it.cost(), only_here()); }
            fn only_here() -> u32 { 1 }
        }
        """,
    "core/src/inner/mod.rs": """
        use crate::Item;
        pub struct Helper {}
        impl Helper { pub fn run(&self) -> Item { Item::new("z") } }
        impl Item { pub fn extra(&self) {} }
        """,
    "app/Cargo.toml": '[package]\nname = "app"\n',
    "app/src/main.rs": """
        use shop_core::{item::Priced, Item as Thing};
        mod util;
        fn load(items: Vec<Thing>) -> Result<Thing, String> {
            for item in items.iter() { item.helper().run().follow(); }
            items.iter().map(|it| it.extra()).count();
            let first = items.first().unwrap();
            first.twice();
            if let Some(found) = first.follow() { found.cost(); }
            let item = Thing::new("a");
            let item = item.helper();
            item.run();
            println!("{}", shop_core::priced!(first.cost()));
            util::show(shop_core::Kind::Odd);
            Ok(Thing::new("b"))
        }
        fn main() { let made = load(vec![])?; made.helper(); }
        """,
    "app/src/util.rs": """
        use super::load;
        use shop_core::Kind;
        pub fn show<T: Shown>(kind: Kind, it: T) { kind.item().helper(); load(vec![]).unwrap().extra(); it.shown(); }
        pub trait Shown { fn shown(&self); }
        """,
}

C: Project = {
    "include/item.h": """
        #ifndef ITEM_H
        #define ITEM_H
        #define MAX_ITEMS 8
        typedef struct item { int cost; struct item *next; } item;
        struct shelf { item items[MAX_ITEMS]; union { int wide; int deep; }; };
        enum kind { SMALL, LARGE };
        extern int total;
        item *item_new(int cost);
        static inline int twice(int x) { return x * 2; }
        #endif
        """,
    "src/item.c": """
        #include "item.h"
        int total = 0;
        static int helper(item *it) { return it->next->cost; }
        item *item_new(int cost) { total += twice(cost); return make(cost); }
        int unused(void) { return helper(item_new(MAX_ITEMS)); }
        """,
    "src/main.c": """
        #include "item.h"
        #include <stdio.h>
        static int helper(int x) { return x; }
        int main(int argc, char **argv) {
          item *first = item_new(LARGE);
          struct shelf shelf = { .items = { { .cost = 1 } }, .wide = 2 };
          shelf.items[0].next->cost = helper(total);
          item_new(1)->next->cost = shelf.deep;
          int cost = 3;
          { int cost = 4; use(cost); }
          return cost + first->cost;
        }
        """,
    "tests/stub.c": """
        #include "item.h"
        item *item_new(int cost) { return 0; }
        int check(void) { return item_new(2)->cost; }
        """,
}

CPP: Project = {
    "include/shop/item.h": """
        #pragma once
        #include <memory>
        #include <vector>
        namespace shop {
        class Priced { public: virtual int cost() const = 0; };
        template <typename T> class Box { public: T open(); T* peek() { return value_; } T* value_; };
        class Item : public Priced {
         public:
          explicit Item(int cost) : cost_(cost) {}
          int cost() const override;
          static Item* make(int cost);
          std::vector<Item> parts_;
          std::unique_ptr<Item> next_;
          enum Kind { SMALL, LARGE };
         private:
          int cost_;
        };
        int total(const Item& item);
        }
        """,
    "src/item.cc": """
        #include "shop/item.h"
        namespace shop {
        int Item::cost() const { for (const auto& part : parts_) { part.cost(); } return cost_ + next_->cost(); }
        Item* Item::make(int cost) { auto made = std::make_unique<Item>(cost); made->cost(); return nullptr; }
        int total(const Item& item) { return item.cost() + Item::SMALL; }
        }
        """,
    "src/main.cc": """
        #include "shop/item.h"
        using namespace shop;
        int main() {
          shop::Item* item = Item::make(1);
          Box<Item> box;
          box.open().cost();
          auto* inner = box.peek();
          inner->cost();
          auto add = [](Item& x) { return x.cost(); };
          return shop::total(*item) + item->next_->cost();
        }
        """,
}
