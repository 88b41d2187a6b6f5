"""Indexes other tools left in a repository: found, read, mapped onto its files, judged."""

from aoci_agent.aoci.foreign.adopting import adopt, taken_over
from aoci_agent.aoci.foreign.finding import read, read_files
from aoci_agent.aoci.foreign.model import Foreign, Unmapped
from aoci_agent.aoci.foreign.stale import StaleRow, stale_report

__all__ = [
    "Foreign",
    "StaleRow",
    "Unmapped",
    "adopt",
    "read",
    "read_files",
    "stale_report",
    "taken_over",
]
