import unittest

from parcels.config import Settings
from parcels.errors import OrderClosed, UnknownOrder
from parcels.events import Event, EventLog
from parcels.models import Address, Parcel, ServiceLevel
from parcels.money import Money
from parcels.quotes import QuoteDesk
from parcels.repository import OrderRepository
from parcels.service import ShippingService
from parcels.storage import Storage

BERLIN = Address("Corner Shop", "Berlin", "DE")
BOSTON = Address("Corner Shop", "Boston", "US")


class ServiceTest(unittest.TestCase):
    def setUp(self) -> None:
        storage = Storage()
        self.addCleanup(storage.close)
        self.log = EventLog()
        self.service = ShippingService(OrderRepository(storage), QuoteDesk(Settings()), self.log)
        self.order = self.service.open("Corner Shop", BERLIN)
        self.service.add(self.order, Parcel("books", 2_400))

    def test_price(self) -> None:
        self.assertEqual(self.service.price(self.order), Money(831))

    def test_a_removed_parcel_is_not_paid_for(self) -> None:
        before = self.service.price(self.order)
        self.service.add(self.order, Parcel("lamp", 800, fragile=True))
        self.assertGreater(self.service.price(self.order), before)
        self.service.remove(self.order, "lamp")
        self.assertEqual(self.service.price(self.order), before)

    def test_express_costs_more(self) -> None:
        before = self.service.price(self.order)
        self.service.upgrade(self.order, ServiceLevel.EXPRESS)
        self.assertGreater(self.service.price(self.order), before)

    def test_a_redirected_order_is_priced_for_its_new_destination(self) -> None:
        self.assertEqual(self.service.price(self.order), Money(831))
        self.service.redirect(self.order, BOSTON)
        self.assertEqual(self.service.price(self.order), Money(3_214))

    def test_a_dispatched_order_stays_as_it_is(self) -> None:
        self.assertEqual(self.service.dispatch(self.order), Money(831))
        with self.assertRaises(OrderClosed):
            self.service.remove(self.order, "books")
        self.assertEqual(self.log.events[-1], Event(self.order, "dispatched for 8.31 EUR"))

    def test_unknown_order(self) -> None:
        with self.assertRaises(UnknownOrder):
            self.service.price(99)
