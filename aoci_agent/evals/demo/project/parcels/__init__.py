"""Prices and books parcel shipments for a small courier."""

__all__ = ["__version__"]

__version__ = "1.4.0"
