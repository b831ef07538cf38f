"""What may be wrong with the system itself: each a number, and what it must not pass."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from tablewright.systems.sentiment.config import AlertRule, OpsRule

#: What is seen in some minutes: by each process, of its own doing.
MINUTES = 5
#: So long nothing may come in.
SILENCE = timedelta(hours=1)
#: A breach is over when so many minutes had none.
CALM_MINUTES = 2


@dataclass(frozen=True, slots=True)
class Watched:
    """One thing that is watched."""

    name: str
    #: It is wrong when the number is greater, or as great if ``reached``.
    threshold: float
    text: str
    reached: bool = False
    #: Seen by each process in its own counters, rather than in the table.
    own: bool = False

    def breached(self, value: float) -> bool:
        return value >= self.threshold if self.reached else value > self.threshold


WATCHED: Mapping[OpsRule, Watched] = {
    "stuck": Watched("Articles are stuck", 10, "articles have waited for more than 5 minutes"),
    "failed": Watched("Articles have failed", 0, "articles could not be analysed"),
    "silence": Watched("Nothing new", 1, "hours without a new article", reached=True),
    "quota": Watched("A quota is nearly used up", 90, "percent of a day's calls", reached=True),
    "breaker": Watched("A source is cut off", 0, "sources fail and are left alone for a while"),
    "throttled": Watched(
        "The store refuses requests", 5, "requests throttled or failed in 5 minutes", own=True
    ),
    "rejected": Watched("Records are rejected", 10, "records rejected in 5 minutes", own=True),
    "write_units": Watched(
        "More is written than planned", 2, "times the planned write units, for 5 minutes", own=True
    ),
}


def rule_id_of(ops: OpsRule) -> str:
    """The id of the rule that comes with the system; people's rules have ULIDs."""
    return f"ops-{ops.replace('_', '-')}"


def is_built_in(rule: AlertRule) -> bool:
    return rule.ops is not None and rule.rule_id == rule_id_of(rule.ops)


def built_in() -> list[AlertRule]:
    """The rules that every newsroom has."""
    return [
        AlertRule(rule_id=rule_id_of(ops), name=watched.name, metric="ops", ops=ops)
        for ops, watched in WATCHED.items()
    ]


# --- what a process has seen ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Counted:
    """Counters of a process, which only grow."""

    throttled: float = 0.0
    rejected: float = 0.0
    write_units: float = 0.0


class Recent:
    """The last five minutes of a process's counters, one sample a minute."""

    def __init__(self, planned_units: float) -> None:
        #: A second.
        self._planned = planned_units
        self._samples: deque[tuple[datetime, Counted]] = deque(maxlen=MINUTES + 1)

    def add(self, at: datetime, counted: Counted) -> None:
        if self._samples and at <= self._samples[-1][0]:
            # The clock was set back: what is known is not of the last minutes any more.
            self._samples.clear()
        self._samples.append((at, counted))

    def values(self) -> dict[OpsRule, float]:
        """What the rules about a process judge."""
        if len(self._samples) < 2:
            return {}
        since = self._samples[-1][0] - timedelta(minutes=MINUTES, seconds=30)
        known = [each for each in self._samples if each[0] >= since]
        first, last = known[0][1], known[-1][1]
        found: dict[OpsRule, float] = {
            "throttled": last.throttled - first.throttled,
            "rejected": last.rejected - first.rejected,
        }
        if len(known) > MINUTES:
            found["write_units"] = self._least_rate(known) / self._planned
        return found

    def _least_rate(self, known: list[tuple[datetime, Counted]]) -> float:
        """Write units a second in the quietest of the minutes: a burst is no trend."""
        rates = [
            (after.write_units - before.write_units) / max(1.0, (then - at).total_seconds())
            for (at, before), (then, after) in pairwise(known)
        ]
        return min(rates)
