"""One file per language family: where its definitions stand in a syntax tree."""
