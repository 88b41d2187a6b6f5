"""What all tests share: they fail for what the code does, not for a busy machine or by the dice.

`make test PYTEST=--hypothesis-profile=search` looks for examples that no run has tried yet.
"""

from hypothesis import settings

pytest_plugins = ("support.gate_report",)

settings.register_profile("search", deadline=None)
settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")
