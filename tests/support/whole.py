"""For tests of what is said at the start: a weaker sandbox is said besides."""

import shutil

import pytest

WHOLE = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
