"""Imports -> files of the repository."""
