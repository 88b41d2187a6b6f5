"""Syntax: definitions with their ranges, by language."""
