"""A large company beside a small one: nothing takes longer because there is more."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.findings import Finding, at_most, part_of

#: By so much two runs of the same differ on a machine that does other things, too.
WANTED = 1.5


def grown(what: str, small: Sequence[float], large: Sequence[float], times: int) -> Finding:
    """The median of the large one beside that of the small one."""
    before, after = part_of(small, 0.5), part_of(large, 0.5)
    note = f"{times} times the data: p50 {before:.1f}, then {after:.1f}"
    return at_most(what, after / before, WANTED, "x", note)
