"""The structural view: symbols, containment and references."""
