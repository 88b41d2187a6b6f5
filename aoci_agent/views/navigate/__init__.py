"""Definition, references and hover: from the graph, and live from a language server."""
