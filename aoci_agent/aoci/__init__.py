"""The AOCI index: one dense line per file, derived from the code and kept in step with it."""
