"""Amounts of money in whole cents, so that sums are exact."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal


@dataclass(frozen=True, order=True)
class Money:
    """An amount in euro cents. May be negative (a discount)."""

    cents: int

    def __add__(self, other: Money) -> Money:
        return Money(self.cents + other.cents)

    def __sub__(self, other: Money) -> Money:
        return Money(self.cents - other.cents)

    def __neg__(self) -> Money:
        return Money(-self.cents)

    def times(self, count: int) -> Money:
        return Money(self.cents * count)

    def percent(self, rate: Decimal) -> Money:
        """`rate` percent of this amount, half a cent rounded up."""
        exact = Decimal(self.cents) * rate / 100
        return Money(int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP)))

    def __str__(self) -> str:
        sign = "-" if self.cents < 0 else ""
        euros, cents = divmod(abs(self.cents), 100)
        return f"{sign}{euros}.{cents:02} EUR"


ZERO = Money(0)


def total(amounts: Iterable[Money]) -> Money:
    """The sum of the amounts; zero for none."""
    return sum(amounts, start=ZERO)
