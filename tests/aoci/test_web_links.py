from collections.abc import Mapping
from dataclasses import replace

import pytest
from support.facts import facts, world

from aoci_agent.aoci.facts.extract import extract
from aoci_agent.aoci.resolve.links import Linker, Links, resolve

PHP = {
    "app/Models/User.php": "<?php\nnamespace App\\Models;\nclass User extends Base {}\n",
    "app/Base.php": "<?php\nnamespace App\\Models;\nclass Base {}\nclass Other {}\n",
    "app/helpers.php": "<?php\nfunction money($x) {}\n",
    "app/Http/C.php": (
        "<?php\nnamespace App\\Http;\nuse App\\Models as M;\nuse App\\Models\\User;\nuse App\\Models\\Gone;\n"
        "use Symfony\\Component\\Console\\Command;\nrequire __DIR__ . '/../helpers.php';\n"
        "class C { function a() { return view('posts.show', [new User, new M\\Other, money(1), \\App\\Lone::x()]); } }\n"
    ),
    "lib/Lone.php": "<?php\nnamespace App;\nclass Lone {}\n",
    "resources/views/posts/show.blade.php": "<h1>Hi</h1>\n",
}
RUBY = {
    "lib/shop.rb": "require 'shop/cart'\nrequire 'rack/utils'\nmodule Shop\n  VERSION = '1'\nend\n",
    "lib/shop/cart.rb": "module Shop\n  class Cart\n    def add = Item.new\n  end\nend\n",
    "app/models/item.rb": "class Shop::Item < ApplicationRecord\n  has_many :old_prices\nend\n",
    "app/models/old_price.rb": "class OldPrice\nend\n",
    "spec/cart_spec.rb": "require_relative '../lib/shop'\nShop::Cart.new; Shop::Cart::Full; Unknown::Item\n",
}
CSHARP = {
    "Core/Core.csproj": "<Project></Project>\n",
    "Core/Usings.cs": "global using Shop.Data;\n",
    "Core/Service.cs": (
        "using Microsoft.EntityFrameworkCore;\nusing Parts;\nnamespace Shop.Core;\n"
        "class Service { Order o; Clock c; Bolt b; Secret s; void A() { o.Total(); } }\n"
    ),
    "Data/Order.cs": "namespace Shop.Data;\npublic class Order {}\n",
    "Data/Ext.cs": "namespace Shop.Data;\nstatic class Ext { public static int Total(this Order o) => 1; }\n",
    "Util/Clock.cs": "namespace Shop { class Clock {} }\n",
    "Parts/Bolt.cs": "namespace Shop.Parts;\nclass Bolt {}\n",
    "Away/Secret.cs": "namespace Away;\nclass Secret {}\n",
}
COMPONENTS = {
    "web/src/App.vue": "<script setup>\nimport Card from '@/ui/Card.vue'\nimport { f } from './f'\n</script>\n<Card/>\n",
    "web/src/ui/Card.vue": "<script>\nexport const size = 1\n</script>\n",
    "web/src/f.ts": "export const f = 1;\n",
    "kit/src/routes/+page.svelte": "<script>\nimport { size } from '$lib/Box.svelte';\n</script>\n",
    "kit/src/lib/Box.svelte": '<script context="module">\nexport const size = 1;\n</script>\n',
}


def test_php_names() -> None:
    found = resolve(world(PHP))
    assert found.edges["app/Http/C.php"] == {
        "app/Models/User.php": 1,
        "app/Base.php": 1,
        "app/helpers.php": 2,
        "lib/Lone.php": 1,
        "resources/views/posts/show.blade.php": 1,
    }
    assert found.edges["app/Models/User.php"] == {"app/Base.php": 1}
    assert found.outside["app/Http/C.php"] == {"Symfony/Console": 1}
    assert found.missing == {"app/Http/C.php": ["App\\Models\\Gone"]}


def test_ruby_constants_and_required_files() -> None:
    found = resolve(world(RUBY))
    assert found.edges["lib/shop.rb"] == {"lib/shop/cart.rb": 1}
    assert found.outside["lib/shop.rb"] == {"rack": 1}
    assert found.edges["lib/shop/cart.rb"] == {"app/models/item.rb": 1}
    assert found.edges["app/models/item.rb"] == {"app/models/old_price.rb": 1}
    assert found.edges["spec/cart_spec.rb"] == {"lib/shop.rb": 1, "lib/shop/cart.rb": 2}


def test_csharp_names() -> None:
    found = resolve(world(CSHARP))
    assert found.edges["Core/Service.cs"] == {
        "Data/Order.cs": 1,
        "Data/Ext.cs": 1,
        "Util/Clock.cs": 1,
        "Parts/Bolt.cs": 1,
    }
    assert found.outside["Core/Service.cs"] == {"EntityFrameworkCore": 1}
    assert found.edges["Data/Ext.cs"] == {"Data/Order.cs": 1}


def test_components() -> None:
    found = resolve(world(COMPONENTS))
    assert set(found.edges["web/src/App.vue"]) == {"web/src/ui/Card.vue", "web/src/f.ts"}
    assert set(found.edges["kit/src/routes/+page.svelte"]) == {"kit/src/lib/Box.svelte"}


def seen(links: Links) -> object:
    used = {key: sorted(users) for key, users in links.used_by.items() if users}
    return links.edges, links.outside, links.missing, used


@pytest.mark.parametrize(
    ("files", "path", "old", "new"),
    [
        (PHP, "app/Base.php", "class Base", "class Basis"),
        (PHP, "app/Base.php", "class Other", "class Gone"),
        (PHP, "app/Models/User.php", "class User", "class User {}\nclass Base"),
        (PHP, "app/helpers.php", "money", "coin"),
        (RUBY, "app/models/item.rb", "Shop::Item", "Shop::Thing"),
        (RUBY, "app/models/old_price.rb", "OldPrice", "Price"),
        (RUBY, "lib/shop/cart.rb", "class Cart", "class Basket"),
        (CSHARP, "Data/Order.cs", "class Order", "class Sale"),
        (CSHARP, "Data/Ext.cs", "Total", "Sum"),
        (CSHARP, "Data/Ext.cs", "this Order", "Order"),
        (CSHARP, "Util/Clock.cs", "namespace Shop ", "namespace Away "),
        (CSHARP, "Core/Usings.cs", "Shop.Data", "Away"),
        (COMPONENTS, "kit/src/lib/Box.svelte", "size", "width"),
    ],
)
def test_following_a_change_gives_the_links_of_a_fresh_start(
    files: Mapping[str, str], path: str, old: str, new: str
) -> None:
    from aoci_agent.aoci.surroundings import Surroundings

    before = world(files)
    around = Surroundings(before)
    changed = facts(path, files[path].replace(old, new))
    assert changed != before[path]
    around.update({path: changed})
    fresh = Linker({**before, path: changed}).links
    assert seen(around.links) == seen(fresh)
    around.update({path: before[path]})
    assert seen(around.links) == seen(Linker(before).links)


def test_damaged_files_give_facts() -> None:
    for path in ("a.php", "a.rb", "a.cs", "a.vue", "a.svelte"):
        for text in (
            "",
            "<?php class {{{ 'x",
            "class A\n def (",
            "<script>let x = {",
            "\x00" * 3 + "\u2028",
        ):
            assert replace(extract(path, text.encode()), problem="").lines >= 0
            assert "not understood" not in extract(path, text.encode()).problem
