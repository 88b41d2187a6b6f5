"""Small programs that ask other tools; the one for Rust reads by itself."""
