import unittest

from parcels.config import Settings
from parcels.models import Address, Parcel
from parcels.order import Order
from parcels.quotes import QuoteDesk
from parcels.report import as_text, revenue_by_zone
from parcels.repository import OrderRepository
from parcels.storage import Storage


class ReportTest(unittest.TestCase):
    def test_only_dispatched_orders_count(self) -> None:
        storage = Storage()
        self.addCleanup(storage.close)
        orders = OrderRepository(storage)
        for number, dispatched in ((1, True), (2, False)):
            order = Order(number, "Corner Shop", Address("Corner Shop", "Berlin", "DE"))
            order.add(Parcel("books", 2_400))
            order.dispatched = dispatched
            orders.save(order)
        text = as_text(revenue_by_zone(orders, QuoteDesk(Settings())))
        self.assertEqual(text.splitlines(), ["home          8.31 EUR", "total         8.31 EUR"])
