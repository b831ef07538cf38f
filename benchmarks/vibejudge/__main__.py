"""Run the benchmarks: `python -m benchmarks.vibejudge [--quick] [--json] [PART ...]`."""

from __future__ import annotations

import sys

from benchmarks.suite import Part, main
from benchmarks.vibejudge import memory, provisioned, reads, units, waiting, workers

PARTS: dict[str, Part] = {
    "workers": workers.measure,
    "concurrent": waiting.measure,
    "memory": memory.measure,
    "units": units.measure,
    "provisioned": provisioned.measure,
    "reads": reads.measure,
}


if __name__ == "__main__":
    sys.exit(main("vibejudge", PARTS))
