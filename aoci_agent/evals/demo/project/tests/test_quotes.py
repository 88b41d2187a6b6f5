import unittest
from decimal import Decimal

from parcels.config import Settings
from parcels.models import Address, Parcel
from parcels.money import ZERO, Money
from parcels.order import Order
from parcels.quotes import QuoteDesk

PLAIN = Settings(fuel_percent=Decimal(10), tax_percent=Decimal(20))


class QuotesTest(unittest.TestCase):
    def test_lines_add_up(self) -> None:
        quote = QuoteDesk(PLAIN).quote(self.order("DE", 1))
        self.assertEqual(dict(quote.lines)["fuel"], Money(45))
        self.assertEqual(dict(quote.lines)["tax"], Money(99))
        self.assertEqual(quote.gross, Money(593))

    def test_three_parcels_are_cheaper(self) -> None:
        quote = QuoteDesk(PLAIN).quote(self.order("DE", 3))
        self.assertEqual(dict(quote.lines)["volume discount"], Money(-74))

    def test_regular_customers_pay_less(self) -> None:
        desk = QuoteDesk(PLAIN, regulars=frozenset({"Corner Shop"}))
        self.assertEqual(
            dict(desk.quote(self.order("DE", 1)).lines)["loyalty discount"], Money(-15)
        )

    def test_the_world_is_free_of_tax(self) -> None:
        quote = QuoteDesk(PLAIN).quote(self.order("US", 1))
        self.assertEqual(dict(quote.lines)["tax"], ZERO)

    def order(self, country: str, count: int) -> Order:
        order = Order(1, "Corner Shop", Address("Corner Shop", "Somewhere", country))
        for number in range(count):
            order.add(Parcel(f"box {number}", 500))
        return order
