import tempfile
import unittest
from pathlib import Path

from parcels.models import Address, Parcel, ServiceLevel
from parcels.order import Order
from parcels.repository import OrderRepository
from parcels.storage import Storage


class RepositoryTest(unittest.TestCase):
    def test_an_order_survives_a_restart(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "orders.db")
            order = Order(
                7, "Corner Shop", Address("Corner Shop", "Paris", "FR"), ServiceLevel.EXPRESS
            )
            order.add(Parcel("vase", 1_200, (30, 30, 40), fragile=True))
            first = Storage(path)
            OrderRepository(first).save(order)
            first.close()
            second = Storage(path)
            self.addCleanup(second.close)
            self.assertEqual(OrderRepository(second).load(7), order)
            self.assertEqual(OrderRepository(second).next_id(), 8)
