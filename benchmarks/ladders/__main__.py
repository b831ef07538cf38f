"""Run the benchmarks: `python -m benchmarks.ladders [--quick] [--json] [PART ...]`."""

from __future__ import annotations

import sys

from benchmarks.ladders import (
    activation,
    autosave,
    commands,
    export,
    reads,
    requests,
    signing_in,
    size,
    units,
)
from benchmarks.suite import Part, main

PARTS: dict[str, Part] = {
    "size": size.measure,
    "units": units.measure,
    "requests": requests.measure,
    "autosave": autosave.measure,
    "activation": activation.measure,
    "reads": reads.measure,
    "export": export.measure,
    "signing-in": signing_in.measure,
    "commands": commands.measure,
}


if __name__ == "__main__":
    sys.exit(main("ladders", PARTS))
