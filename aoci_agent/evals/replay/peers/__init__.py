"""Other agents as solvers of replay: their command lines as data, and one way to run and measure them."""
