"""Measures that anyone can rerun, and the demo."""
