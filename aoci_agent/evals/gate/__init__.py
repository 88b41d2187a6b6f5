"""The release gate: the scorecard of safety, read off the tests that are tagged with its lines."""
