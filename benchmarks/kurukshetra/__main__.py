"""Run the benchmarks: `python -m benchmarks.kurukshetra [--quick] [--json] [PART ...]`."""

from __future__ import annotations

import sys

from benchmarks.kurukshetra import export, seats, units, webhooks
from benchmarks.suite import Part, main

PARTS: dict[str, Part] = {
    "seats": seats.measure,
    "webhooks": webhooks.measure,
    "units": units.measure,
    "export": export.measure,
}


if __name__ == "__main__":
    sys.exit(main("kurukshetra", PARTS))
