"""Quotes: an order's price, line by line, worked out once for each state of the order."""

from collections.abc import Hashable
from dataclasses import dataclass

from parcels import discounts, surcharges, tax
from parcels.config import Settings
from parcels.money import Money, total
from parcels.order import Order
from parcels.rates import base_rate
from parcels.zones import zone_of


@dataclass(frozen=True)
class Quote:
    """The lines of a price, in the order they are printed."""

    lines: tuple[tuple[str, Money], ...]

    @property
    def gross(self) -> Money:
        return total(amount for _, amount in self.lines)


class QuoteDesk:
    """Prices orders and remembers the answers, since reports ask for the same orders again."""

    def __init__(self, settings: Settings, regulars: frozenset[str] = frozenset()) -> None:
        self._settings = settings
        self._regulars = regulars
        self._known: dict[Hashable, Quote] = {}

    def quote(self, order: Order) -> Quote:
        """The price of the order as it is now."""
        key = order.fingerprint()
        if key not in self._known:
            self._known[key] = self._work_out(order)
        return self._known[key]

    def _work_out(self, order: Order) -> Quote:
        zone = zone_of(order.destination.country)
        rates = [base_rate(parcel, zone, order.service) for parcel in order.parcels]
        base = total(rates)
        fuel = total(surcharges.fuel(rate, self._settings) for rate in rates)
        handling = total(surcharges.handling(parcel) for parcel in order.parcels)
        net = base + fuel + handling
        volume = discounts.volume(net, len(order.parcels), self._settings)
        regular = order.customer in self._regulars
        loyalty = discounts.loyalty(net, regular=regular, settings=self._settings)
        due = net + volume + loyalty
        return Quote(
            (
                ("base rate", base),
                ("fuel", fuel),
                ("handling", handling),
                ("volume discount", volume),
                ("loyalty discount", loyalty),
                ("tax", tax.value_added(due, zone, self._settings)),
            )
        )
