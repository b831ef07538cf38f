"""Who judges what: so many judges for each submission, nobody with a conflict, and fair shares.

First every submission gets the judges that have least to do. Where conflicts have made that
unfair, work is passed on from the busiest, from judge to judge if need be, until no passing on
makes the shares any fairer; that is then as even as it can be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeAlias

#: Judges for each submission.
EACH = 3

#: A judge, and what the judge looks at.
Duty: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Bench:
    """The judges, each with what they may not judge."""

    conflicts: Mapping[str, Collection[str]]

    def may(self, judge: str, sub: str) -> bool:
        return judge in self.conflicts and sub not in self.conflicts[judge]


@dataclass(frozen=True, slots=True)
class Plan:
    """What changes: duties that are new, and those that somebody else has instead."""

    added: tuple[Duty, ...]
    dropped: tuple[Duty, ...]


def plan(
    bench: Bench,
    submissions: Sequence[str],
    *,
    begun: Collection[Duty] = (),
    waiting: Collection[Duty] = (),
    refused: Collection[Duty] = (),
    each: int = EACH,
) -> Plan:
    """Give every submission ``each`` judges, as evenly as can be.

    What a judge has ``begun`` stays; what is ``waiting`` may go to another one; what a judge has
    ``refused`` does not come back to that judge.
    """
    desk = _Desk(bench, frozenset(submissions), begun, waiting, refused)
    for sub in sorted(submissions, key=lambda sub: (len(desk.able(sub)), sub)):
        desk.fill(sub, each)
    desk.even_out()
    return Plan(
        added=tuple(sorted(desk.movable - set(waiting))),
        dropped=tuple(sorted(set(waiting) - desk.movable)),
    )


def successor(bench: Bench, sub: str, duties: Iterable[Duty]) -> str | None:
    """Who looks at a submission instead of somebody who cannot: whoever has least to do.

    ``duties`` are all that were ever given, those that were refused among them.
    """
    given = list(duties)
    asked = {judge for judge, other in given if other == sub}
    free = [judge for judge in bench.conflicts if judge not in asked and bench.may(judge, sub)]
    load = {judge: sum(1 for other, _ in given if other == judge) for judge in free}
    return min(free, key=lambda judge: (load[judge], mixed(judge, sub)), default=None)


def mixed(judge: str, sub: str) -> bytes:
    """An order that differs from judge to judge, and is the same every time: so judges meet in
    many combinations, and do not all begin with the same submission."""
    return sha256(f"{judge}/{sub}".encode()).digest()


class _Desk:
    """Duties while they are given out."""

    def __init__(
        self,
        bench: Bench,
        submissions: frozenset[str],
        begun: Collection[Duty],
        waiting: Collection[Duty],
        refused: Collection[Duty],
    ) -> None:
        self._bench = bench
        self._judges = sorted(bench.conflicts)
        self._barred = {*begun, *refused}
        self._load = Counter(judge for judge, sub in begun if sub in submissions)
        self._held = Counter(sub for _, sub in begun)
        #: What each judge has not begun, and so may pass on.
        self._own: dict[str, set[str]] = {judge: set() for judge in self._judges}
        for judge, sub in sorted(waiting):
            if sub in submissions and self._could(judge, sub):
                self._take(judge, sub)

    @property
    def movable(self) -> set[Duty]:
        return {(judge, sub) for judge, subs in self._own.items() for sub in subs}

    def able(self, sub: str) -> list[str]:
        """Who could take a submission, and does not have it."""
        return [judge for judge in self._judges if self._could(judge, sub)]

    def fill(self, sub: str, each: int) -> None:
        order = sorted(self.able(sub), key=lambda judge: (self._load[judge], mixed(judge, sub)))
        for judge in order[: max(0, each - self._held[sub])]:
            self._take(judge, sub)

    def _could(self, judge: str, sub: str) -> bool:
        free = self._bench.may(judge, sub) and (judge, sub) not in self._barred
        return free and sub not in self._own[judge]

    def _take(self, judge: str, sub: str) -> None:
        self._own[judge].add(sub)
        self._load[judge] += 1
        self._held[sub] += 1

    # --- evening out -----------------------------------------------------------------------------

    def even_out(self) -> None:
        while any(self._relieve(judge) for judge in self._by_load(busiest_first=True)):
            pass

    def _by_load(self, *, busiest_first: bool = False) -> list[str]:
        sign = -1 if busiest_first else 1
        return sorted(self._judges, key=lambda judge: (sign * self._load[judge], judge))

    def _relieve(self, busy: str) -> bool:
        """Pass on one duty, along the shortest chain to a judge with two fewer."""
        enough = self._load[busy] - 2
        if min(self._load[judge] for judge in self._judges) > enough:
            return False
        came: dict[str, Duty] = {busy: (busy, "")}
        queue = [busy]
        for judge in queue:
            for other, sub in self._takers(judge, came):
                came[other] = (judge, sub)
                queue.append(other)
                if self._load[other] <= enough:
                    self._pass_along(other, came)
                    return True
        return False

    def _takers(self, judge: str, known: Collection[str]) -> Iterable[Duty]:
        """Who could take one of a judge's duties, and which; the least busy first."""
        own = sorted(self._own[judge])
        for other in self._by_load():
            sub = next((each for each in own if self._could(other, each)), None)
            if sub is not None and other not in known:
                yield other, sub

    def _pass_along(self, last: str, came: Mapping[str, Duty]) -> None:
        taker = last
        while (giver := came[taker][0]) != taker:
            sub = came[taker][1]
            self._own[giver].remove(sub)
            self._own[taker].add(sub)
            self._load[giver] -= 1
            self._load[taker] += 1
            taker = giver
