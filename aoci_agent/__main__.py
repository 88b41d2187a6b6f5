"""`python -m aoci_agent` is the same as the `aoci-agent` command."""

import sys

from aoci_agent.cli import main

sys.exit(main())
