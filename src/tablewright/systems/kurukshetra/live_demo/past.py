"""The use cases at an earlier moment, on the same tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from pydantic import JsonValue

from tablewright.clock import ManualClock, UlidSource
from tablewright.model import Put
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.kit.outbox.messages import long_sent
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.service.mail_texts import Mail
from tablewright.systems.kurukshetra.service.messages import Messages


def at(festival: Festival, moment: datetime) -> Festival:
    """The same festival as it was then. It pays at the same gateway, and is not opened."""
    clock = ManualClock(moment.timestamp())
    earlier = Festival(replace(festival.runtime, clock=clock, ids=UlidSource(clock)))
    earlier.gateway = festival.gateway
    earlier.messages = SentThen(earlier)
    return earlier


class SentThen(Messages):
    """What people were told in the past has long arrived: nobody gets hundreds of mails now."""

    def _message(
        self, kind: str, config: Config, person: str, mail: Mail, data: Mapping[str, JsonValue]
    ) -> Put[OutboxEntry]:
        return long_sent(super()._message(kind, config, person, mail, data))
