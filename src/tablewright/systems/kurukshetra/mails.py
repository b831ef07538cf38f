"""Mails: how many went out on a day."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from tablewright.model import Field, Key, Rate, Ttl, Update, attr, update, write
from tablewright.systems.kurukshetra.base import Kept, table

#: How long the count of a day can be looked at.
_KEPT = timedelta(days=30)


class MailDay(
    Kept,
    table=table,
    type="mail_day",
    keys={"primary": Key("MAILS", "DAY#{day}")},
):
    """The mails of a day, in UTC, of all events together."""

    day: date
    sent: int = Field(default=0, ge=0)
    ttl: Ttl


@write(component="outbox", rate=Rate(1, peak=20))
def count_mail(day: date, most: int, at: datetime) -> Update[MailDay]:
    """One more mail of a day, unless there have been enough."""
    counted = update(MailDay, day).do(
        attr(MailDay.sent).add(1),
        attr(MailDay.created_at).set_if_missing(at),
        attr(MailDay.ttl).set_if_missing(at + _KEPT),
    )
    room = attr(MailDay.sent).missing() | (attr(MailDay.sent) < most)
    return counted.upsert().when(room)
