import unittest
from decimal import Decimal

from parcels.money import ZERO, Money, total


class MoneyTest(unittest.TestCase):
    def test_half_a_cent_is_rounded_up(self) -> None:
        self.assertEqual(Money(50).percent(Decimal(1)), Money(1))
        self.assertEqual(Money(49).percent(Decimal(1)), ZERO)

    def test_sums(self) -> None:
        self.assertEqual(total([Money(120), Money(-20)]), Money(100))
        self.assertEqual(total([]), ZERO)

    def test_text(self) -> None:
        self.assertEqual(str(Money(-1205)), "-12.05 EUR")
