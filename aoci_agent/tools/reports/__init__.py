"""Test reports of many runners, read from their output."""
