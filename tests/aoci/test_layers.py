"""Which files are tests: by the names that runners look for."""

import pytest

from aoci_agent.aoci.layers import is_test

TESTS = (
    "tests/a.py", "test_a.py", "conftest.py", "shop/tests.py", "shop/test.py", "a_test.go",
    "test.js", "test.ts", "tests.mjs", "test-main.js", "pkg/test.cjs", "src/a.test.tsx", "a.spec.js",
    "src/test/java/a/B.java", "OrderTest.java", "spec/a_spec.rb", "tests.rs", "FooTests.cs",
)  # fmt: skip
OTHERS = (
    "contest.js", "latest.py", "testing.py", "attest.ts", "src/protest.js", "index.js", "testify.go",
    "src/main/java/test/B.java", "testimonials.tsx", "greatest-hits.js", "tests.md",
)  # fmt: skip


@pytest.mark.parametrize("path", TESTS)
def test_names_of_tests(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize("path", OTHERS)
def test_names_that_only_look_like_it(path: str) -> None:
    assert not is_test(path)
