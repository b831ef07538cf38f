"""What the systems say of their own books, by their own commands."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from soak.invariants.finding import Finding

#: A command, and what it is about.
COMMANDS = (
    ("pricekeeper reconcile", "ledger, counters and totals"),
    ("kurukshetra verify", "seats, queues, members, locks, links and statistics"),
    ("vibejudge audit", "copies, counters, locks, costs and ranks"),
    ("sentiment recount", "the counts beside the articles"),
    ("sentiment fsck", "rows that have lost their article"),
)


async def verified(data: Path, environ: Mapping[str, str]) -> list[Finding]:
    """All of them, one after the other, on a folder that nobody else has open."""
    return [await _asked(words, about, data, environ) for words, about in COMMANDS]


async def _asked(words: str, about: str, data: Path, environ: Mapping[str, str]) -> Finding:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "soak.launch", *words.split(), "--data", str(data), "--json"),
        env={**os.environ, **environ},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, wrong = await process.communicate()
    finding = Finding(f"`tablewright {words}`: {about}")
    told = f"exit {process.returncode}: {said.decode()[-1500:]} {wrong.decode()[-1500:]}"
    finding.expect(process.returncode == 0, told)
    return finding
