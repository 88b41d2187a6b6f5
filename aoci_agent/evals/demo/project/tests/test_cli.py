import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

from parcels.cli import main


class CommandLineTest(unittest.TestCase):
    def test_quote(self) -> None:
        code, text = self.run_with("quote", "--country", "DE", "--weight", "2400")
        self.assertEqual(code, 0)
        self.assertIn("8.31 EUR", text.splitlines()[-1])

    def test_too_heavy_is_said_in_one_line(self) -> None:
        code, text = self.run_with("quote", "--country", "DE", "--weight", "99000")
        self.assertEqual(code, 1)
        self.assertEqual(len(text.splitlines()), 1)

    def test_unknown_setting(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "settings.json")
            path.write_text(json.dumps({"fule_percent": 3}), encoding="utf-8")
            code, text = self.run_with(
                "quote", "--country", "DE", "--weight", "1", "--settings", str(path)
            )
        self.assertEqual(code, 1)
        self.assertIn("fule_percent", text)

    def run_with(self, *arguments: str) -> tuple[int, str]:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = main(arguments)
        return code, out.getvalue()
