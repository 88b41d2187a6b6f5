"""Definitions of Ruby, shell and SQL."""

from textwrap import dedent

from support.outlines import definitions, told

RUBY = """
# The shop.
module Shop
  module Core::Parts; end

  # One order.
  class Order < Base::Record
    include Countable
    attr_accessor :rank, :name
    LIMIT = 1
    @@count = 0
    def initialize(rank, name = nil, *lines, at:, to: 2, **more, &block)
      @rank = rank
      @store ||= Store.new
      local = 1
    end
    class << self
      def open; end
    end
    def self.find(id) = id
    private def hidden?; end
    define_method(:made) { |x| 1 }
    scope :active, -> { where(1) }
  end
  Pair = Struct.new(:left) do
    def sum; end
  end
end
def Shop.start; end
def free; end
TOP = 1
"""


def test_ruby() -> None:
    assert told("a.rb", RUBY) == dedent(
        """\
        module Shop 1-27
        module Shop.Core.Parts 3-3
        class Shop.Order 5-23
        field Shop.Order.rank 8-8
        field Shop.Order.name 8-8
        constant Shop.Order.LIMIT 9-9
        field Shop.Order.count 10-10
        method Shop.Order.initialize 11-15
        field Shop.Order.store 13-13
        method Shop.Order.open 17-17
        method Shop.Order.find 19-19
        method Shop.Order.hidden? 20-20
        method Shop.Order.made 21-21
        method Shop.Order.active 22-22
        class Shop.Pair 24-26
        method Shop.Pair.sum 25-25
        method Shop.start 28-28
        function free 29-29
        constant TOP 30-30"""
    )
    found = definitions("a.rb", RUBY)
    assert found["Shop.Order"].bases == ("Countable", "Base::Record")
    assert [name for name, _ in found["Shop.Order.initialize"].parameters] == [
        "rank", "name", "lines", "at", "to", "more", "block",
    ]  # fmt: skip
    assert not found["Shop.Order.open"].declared
    rank = found["Shop.Order.rank"]
    assert (rank.line, rank.column) == (8, 19)


def test_shell() -> None:
    text = """
    #!/bin/sh
    LIMIT=1
    export NAME=2

    # Opens it.
    open_it() {
      local path=$1
      inner() { :; }
    }
    function close { echo; }
    """
    assert told("open", text) == dedent(
        """\
        constant LIMIT 2-2
        constant NAME 3-3
        function open_it 5-9
        function open_it.inner 8-8
        function close 10-10"""
    )


def test_functions_of_other_shells() -> None:
    text = """
    _complete() {
      local -A seen; (( ${+seen[x]} )) && print -r -- ${(f)"$(_call x)"}
      _values 'a' ${(@)x:#y}
    }
    short() { print; }
    """
    assert {"_complete", "short"} <= definitions("a.zsh", text).keys()


def test_sql() -> None:
    text = """
    -- People.
    CREATE TABLE IF NOT EXISTS app.users (
      id BIGINT PRIMARY KEY, -- not; the end
      "name" varchar(10, 2) NOT NULL DEFAULT 'a;b',
      CONSTRAINT one UNIQUE (id)
    );
    create view seen as select 1;
    CREATE OR REPLACE FUNCTION total(a int) RETURNS int AS $body$
    BEGIN
      RETURN 1;
    END;
    $body$ LANGUAGE plpgsql;
    CREATE PROCEDURE twice()
    BEGIN
      SELECT 1;
      SELECT 2;
    END //
    CREATE TYPE mood AS ENUM ('a');
    """
    assert told("a.sql", text) == dedent(
        """\
        class users 1-6
        field users.id 3-3
        field users.name 4-4
        class seen 7-7
        function total 8-12
        function twice 13-17
        type mood 18-18"""
    )
    assert definitions("a.sql", text)["users.name"].type == "varchar(10, 2)"
    assert told("a.sql", "SELECT 1;\n") == ""
