"""Readers of stored data: tables, columns and their changes, by language and framework."""
