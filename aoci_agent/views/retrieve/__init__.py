"""Ranked retrieval plans over the views."""
