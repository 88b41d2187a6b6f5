"""Run the command line with `python -m parcels`."""

import sys

from parcels.cli import main

sys.exit(main())
