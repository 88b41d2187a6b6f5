"""Which command lines run the project's tests."""

import pytest

from aoci_agent.tools import commands

RUNS = """
pytest
pytest tests/test_a.py::test_b -x
python -m pytest -q
python3.12 -m unittest discover
.venv/bin/python -m pytest
./venv/bin/pytest tests
FOO=1 BAR=2 pytest
timeout 60 pytest
timeout -s KILL 60 npm test
uv run pytest
uv run python -m pytest
poetry run pytest -k 'a and b'
coverage run -m pytest
python -m coverage run -m pytest
npm test
npm run test -- --watch=false
npm run test:unit
pnpm test
yarn test
npx vitest run
npx jest
node --test
go test ./...
go -C sub test ./...
cargo test
cargo nextest run
make test
make -C build check
tox -e py312
python manage.py test
./gradlew test
cd sub && pytest
cd sub; pytest
(cd sub && npm test)
npm install && npm test
pytest # all of them
"""

NO_RUNS = """
echo pytest
pip install pytest
pytest --version
pytest --collect-only
cat test.py
grep -r pytest .
python -c "import pytest"
npm install
npm run build
go build ./...
cargo build
cargo test --no-run
make
make install
git commit -m 'make test'
echo 'a; pytest'
which jest
echo "unbalanced
"""


@pytest.mark.parametrize("command", RUNS.strip().splitlines())
def test_runs(command: str) -> None:
    assert commands.test_run(command) is not None


@pytest.mark.parametrize("command", NO_RUNS.strip().splitlines())
def test_no_runs(command: str) -> None:
    assert commands.test_run(command) is None


@pytest.mark.parametrize(
    ("command", "reliable"),
    [
        ("pytest", True),
        ("cd a && pytest", True),
        ("cd a; pytest", True),
        ("echo a | cat && pytest", True),
        ("pytest && echo good", True),
        ("set -e\npytest\n", True),
        ("pytest | tail", False),
        ("pytest 2>&1 | tail -20", False),
        ("pytest || true", False),
        ("pytest; echo done", False),
        ("pytest\necho done", False),
        ("pytest &", False),
    ],
)
def test_whose_exit_code_it_is(command: str, reliable: bool) -> None:  # noqa: FBT001
    run = commands.test_run(command)
    assert run is not None
    assert run.reliable is reliable
