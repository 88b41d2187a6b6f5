"""Units: what can be retrieved of a file (CodeNib section 3: u = path, range, level, type, text, symbol)."""
