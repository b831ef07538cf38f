"""What ten times a year takes: how many items, and how large they are."""

from __future__ import annotations

from pathlib import Path

from benchmarks.findings import Finding, at_most, exactly
from benchmarks.ladders.extent import MEMBERS, SEASONS, TEAMS, USERS
from benchmarks.ladders.stage import QUICK_TIMES, TIMES, filled

#: Of a year.
_MOST_MB = 20.0


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    times = (QUICK_TIMES if quick else TIMES)[-1]
    company = filled(times, folder)
    stored = company.stored
    plans = TEAMS * len(SEASONS)
    wanted = {
        "Teams": TEAMS,
        "AssessmentPlans": plans,
        "Assessments": 2 * plans * MEMBERS,
        "AssessmentReports": plans * MEMBERS,
    }
    per_year = (stored.table_bytes + stored.index_bytes) / 1e6 / times
    note = (
        f"the tables {stored.table_bytes / 1e6:.0f}, their indexes {stored.index_bytes / 1e6:.0f}"
    )
    return [
        # Two beside each user: the lock of the address, and the link of the sign-in.
        exactly(
            "Users", stored.items["Users"] / 3, USERS * times, note="with a lock and a link each"
        ),
        *(exactly(name, stored.items[name], count * times) for name, count in wanted.items()),
        at_most("stored", per_year * times, _MOST_MB * times, "MB", note),
        Finding("the same of a year", per_year, "MB", note="every assessment has nearly 15 KB"),
        Finding(
            "on disk",
            company.disk_bytes / 1e6,
            "MB",
            note="with a team of 200 and some people more",
        ),
    ]
