"""A resumed session tells what changed; where the sandbox is weaker, that is said besides."""

from collections.abc import Sequence

import pytest
from support.whole import WHOLE


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    for item in items:
        if item.path.name == "test_resume.py":
            item.add_marker(WHOLE)
