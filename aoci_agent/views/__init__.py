"""Derived views of the repository: lexical, dense and structural, each with its own validity."""
