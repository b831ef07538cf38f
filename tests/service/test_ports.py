"""Systems of one process are told what the others offer."""

from __future__ import annotations

from collections.abc import Sequence

from tablewright.service.ports import HandedRow, Ports, RowResult, join
from tablewright.service.system import Parts


class Sink:
    async def hand_over(self, hack_id: str, rows: Sequence[HandedRow]) -> list[RowResult]:
        return [RowResult(each.external_id, "sub") for each in rows]


def test_what_one_offers_the_other_gets() -> None:
    told: list[Ports] = []
    sink = Sink()
    giver, taker = Parts([], offers=Ports(submissions=sink)), Parts([], joined=told.append)
    join([taker, giver, Parts([])])
    assert told == [Ports(submissions=sink)]


def test_without_an_offer_there_is_nothing() -> None:
    told: list[Ports] = []
    join([Parts([], joined=told.append), Parts([])])
    assert told == [Ports()]
