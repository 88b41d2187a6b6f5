"""Settings: the figures the office may change without a new release."""

import json
from dataclasses import dataclass, fields, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path

from parcels.errors import BadSettings


@dataclass(frozen=True)
class Settings:
    """All rates are percentages."""

    fuel_percent: Decimal = Decimal("7.5")
    volume_percent: Decimal = Decimal(5)
    loyalty_percent: Decimal = Decimal(3)
    tax_percent: Decimal = Decimal(19)


def load(path: Path | None) -> Settings:
    """Read a JSON object of settings; names left out keep their default."""
    if path is None:
        return Settings()
    known = {item.name for item in fields(Settings)}
    values = json.loads(path.read_text(encoding="utf-8"))
    unknown = sorted(set(values) - known)
    if unknown:
        raise BadSettings(f"unknown settings: {', '.join(unknown)}")
    return replace(Settings(), **{name: _percentage(name, value) for name, value in values.items()})


def _percentage(name: str, value: object) -> Decimal:
    try:
        rate = Decimal(str(value))
    except InvalidOperation as error:
        raise BadSettings(f"{name} is not a number") from error
    if not 0 <= rate <= 100:
        raise BadSettings(f"{name} must be 0 to 100")
    return rate
