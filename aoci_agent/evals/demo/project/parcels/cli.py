"""The command line: a quote for parcels that are not booked yet."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from parcels import config
from parcels.errors import ParcelsError
from parcels.models import Address, Parcel, ServiceLevel
from parcels.order import Order
from parcels.quotes import QuoteDesk


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the quote, line by line. Returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        desk = QuoteDesk(config.load(options.settings))
        quote = desk.quote(_order(options))
    except ParcelsError as error:
        print(f"parcels: {error}")
        return 1
    for name, amount in quote.lines:
        print(f"{name:<18}{amount!s:>14}")
    print(f"{'total':<18}{quote.gross!s:>14}")
    return 0


def _order(options: argparse.Namespace) -> Order:
    service = ServiceLevel.EXPRESS if options.express else ServiceLevel.ECONOMY
    order = Order(0, "walk-in", Address("", "", options.country), service)
    for number, weight in enumerate(options.weight, start=1):
        order.add(Parcel(f"parcel {number}", weight))
    return order


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="parcels", description=__doc__)
    parser.add_argument("command", choices=["quote"])
    parser.add_argument("--country", required=True, help="ISO code of two letters")
    parser.add_argument("--weight", type=int, action="append", required=True, help="grams; repeat")
    parser.add_argument("--express", action="store_true")
    parser.add_argument("--settings", type=Path)
    return parser
