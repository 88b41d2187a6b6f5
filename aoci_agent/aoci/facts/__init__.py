"""What one file says about itself, taken from its text alone and cached by content."""
