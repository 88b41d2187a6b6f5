import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from aoci_agent.base.box import Access, Box, Strength
from aoci_agent.base.process import Limits, run, run_blocking
from aoci_agent.base.sandbox.ladder import strongest
from aoci_agent.base.sandbox.layout import layout_of
from aoci_agent.tools.denied import NETWORK, denial

VERSIONS = {
    "python3": ("-c", "import ssl, sqlite3, multiprocessing as m; m.Lock(); print(m)"),
    "node": ("-e", "require('fs').mkdtempSync(require('os').tmpdir() + '/x')"),
    "npm": ("--version",),
    "go": ("env", "GOCACHE"),
    "cargo": ("--version",),
    "java": ("-version",),
    "gcc": ("-x", "c", "-o", "made", "main.c"),
    "git": ("init", "-q", "new"),
    "rg": ("--version",),
    "make": ("--version",),
}


def boxes(base: Path) -> dict[str, Box]:
    """Both layers around a folder, with the person's real home."""
    root, cache = base / "workspace", base / "cache"
    root.mkdir()
    (cache / "caches").mkdir(parents=True)
    layout = layout_of(root, [cache], cache / "caches", os.environ)
    found = (strongest(layout, cache, shutil.which("bwrap")), strongest(layout, cache, None))
    return {box.kind: box for box in found if box.strength is not Strength.NONE}


@pytest.mark.gate_only
def test_tools_work_inside(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    root = tmp_path / "workspace"
    ran = 0
    for kind, box in boxes(tmp_path).items():
        (root / "main.c").write_text("int main(void) { return 0; }\n")
        for name, arguments in VERSIONS.items():
            program = shutil.which(name)
            outside = tmp_path / "outside"
            outside.mkdir(exist_ok=True)
            (outside / "main.c").write_text("int main(void) { return 0; }\n")
            if program is None or run_blocking([program, *arguments], cwd=outside).exit_code != 0:
                continue
            done = run_blocking(box.enter([program, *arguments], root, Access()), cwd=root)
            assert done.exit_code == 0, (kind, name, done.stderr.decode(errors="replace"))
            ran += 1
        shutil.rmtree(root / "new", ignore_errors=True)
    record_property("cases", ran)
    if not ran:
        pytest.skip("no sandbox or no tool here")


@pytest.mark.gate("R18")
@pytest.mark.gate_only
async def test_an_install_without_the_network_fails_clearly(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    python = shutil.which("python3")
    for box in boxes(tmp_path).values():
        words = ["-m", "pip", "download", "--index-url", "https://pypi.invalid/simple", "six"]
        assert python is not None
        entry = box.enter([python, *words], root, Access())
        outcome = await run(entry, cwd=root, limits=Limits(seconds=60))
        if "No module named pip" in outcome.output:
            pytest.skip("pip is not installed")
        assert outcome.exit_code not in {0, None}
        assert NETWORK in denial(outcome, box, Access(), root)
