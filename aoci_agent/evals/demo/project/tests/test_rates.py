import unittest

from parcels.errors import InvalidParcel
from parcels.models import Parcel, ServiceLevel
from parcels.money import Money
from parcels.rates import base_rate
from parcels.surcharges import handling
from parcels.zones import Zone, zone_of


class RatesTest(unittest.TestCase):
    def test_a_step_includes_its_upper_bound(self) -> None:
        self.assertEqual(self.rate(1_000), Money(449))
        self.assertEqual(self.rate(1_001), Money(649))

    def test_express_is_twice_the_rate(self) -> None:
        self.assertEqual(self.rate(1_000, ServiceLevel.EXPRESS), Money(898))

    def test_zones(self) -> None:
        self.assertEqual([zone_of(code) for code in ("de", "FR", "US")], list(Zone))

    def test_bulky_and_fragile_boxes_cost_more(self) -> None:
        self.assertEqual(handling(Parcel("lamp", 900, (90, 40, 30), fragile=True)), Money(1_550))

    def test_too_heavy(self) -> None:
        with self.assertRaises(InvalidParcel):
            Parcel("anvil", 40_000)

    def rate(self, grams: int, service: ServiceLevel = ServiceLevel.ECONOMY) -> Money:
        return base_rate(Parcel("box", grams), Zone.HOME, service)
