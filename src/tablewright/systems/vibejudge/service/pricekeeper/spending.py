"""What calls have cost, told to pricekeeper: once, however often it is sent.

A message is written with the call's own record, in one transaction, and waits in the outbox until
pricekeeper has it, be that after days. The id of the call is the id of the report, so a report
that arrives twice counts once. What pricekeeper refuses for good is among the dead letters, and
somebody is told.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING

from pydantic import JsonValue

from tablewright.model import Put
from tablewright.model.errors import ConditionFailed
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.kit.outbox.messages import Message, message
from tablewright.service.kit.outbox.sinks.base import SendFailed
from tablewright.systems.vibejudge.llm.ports import CallCost
from tablewright.systems.vibejudge.service.pricekeeper.link import Answer, Away, Link

if TYPE_CHECKING:
    from datetime import datetime

    from tablewright.systems.vibejudge.service.courtroom import Courtroom

log = logging.getLogger("tablewright.vibejudge")

KIND = "vibejudge.spend"
REFUSED = "vibejudge.spend_refused"
#: Said about the report itself: it would be said again.
_FOR_GOOD = frozenset({400, 409, 413, 415, 422})
_MICRO = Decimal("0.000001")


def spend_message(cost: CallCost, now: datetime) -> Put[OutboxEntry]:
    """The report of a call; those of one agent leave in their order."""
    body: dict[str, JsonValue] = {"app": cost.id.agent, "report": report(cost)}
    return message(KIND, f"spend/{cost.id.agent}", body, at=now)


def report(cost: CallCost) -> dict[str, JsonValue]:
    """A call as pricekeeper wants it. The time is that of the call: it decides the day."""
    micros = (cost.total_usd / _MICRO).to_integral_value(ROUND_HALF_EVEN)
    return {
        "request_id": str(cost.id.request_id),
        "label": cost.label,
        "timestamp": int(cost.at.timestamp()),
        "input_tokens": cost.usage.input,
        "output_tokens": cost.usage.output,
        "cache_read_tokens": cost.usage.cache_read,
        "cache_write_tokens": cost.usage.cache_write,
        "bedrock_model_id": cost.model_id,
        "service_tier": cost.service_tier,
        "cost_usd_micros": int(micros),
    }


class SpendSink:
    """Sends reports; without a link they wait until there is one."""

    name = "pricekeeper"

    def __init__(self, courtroom: Courtroom, link: Link | None) -> None:
        self._courtroom = courtroom
        self._link = link

    def takes(self, message: Message) -> bool:
        return message.kind == KIND

    async def send(self, message: Message) -> None:
        app, told = message.body.get("app"), message.body.get("report")
        if not isinstance(app, str) or not isinstance(told, Mapping):
            raise SendFailed("it is no report of spend", permanent=True)
        if self._link is None:
            raise SendFailed("the settings name no pricekeeper", lasting=True)
        try:
            answer = await self._link.post(app, "costs", told)
        except Away as away:
            raise SendFailed(str(away), lasting=True) from away
        if answer.status in (200, 201):
            return
        reason = f"pricekeeper answered {answer.status} {answer.code}: {answer.detail}"
        if answer.status in _FOR_GOOD:
            await self._alert(message, app, str(told.get("request_id")), answer)
            raise SendFailed(reason, permanent=True)
        # About us rather than the report: it may be mended, so the report waits.
        raise SendFailed(reason, retry_after=answer.retry_after, lasting=True)

    async def close(self) -> None:
        return

    async def _alert(self, told: Message, app: str, request_id: str, answer: Answer) -> None:
        """One write: a message to whoever is alerted. Its condition: it was not written before."""
        body: dict[str, JsonValue] = {
            "title": f"Pricekeeper refuses what {app} has spent: {answer.code}",
            "text": f"The report {request_id} of the app {app} was refused: {answer.detail}\n"
            "It is among the dead letters of vibejudge. Once pricekeeper would take it, send it "
            "again from there; until then its spend is missing there.",
            "app": app,
            "request_id": request_id,
            "code": answer.code,
        }
        # Beside the report, never in its place.
        at = told.at + timedelta(milliseconds=1)
        alert = message(REFUSED, "pricekeeper", body, at=at, message_id=told.id)
        try:
            await self._courtroom.db.run(alert)
        except ConditionFailed:
            log.debug("report %s was refused before", request_id)
