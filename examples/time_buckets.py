"""Time buckets: the readings of a sensor, one partition per month.

A partition that only ever grows is slow to clean up and, with a local index, ends at 10 GB. The
month is part of the partition key: it is derived from the time of a reading, and a query over
several months asks one partition after the other.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import Entity, Field, IsoMillis, Key, Range, Table, put, query

metering = Table("Metering", pk="PK", sk="SK")


def month_of(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m}"


def _month(fields: dict[str, Any]) -> str:
    return month_of(fields["at"])


class Reading(
    Entity,
    table=metering,
    keys={"primary": Key("SENSOR#{sensor}#{month}", "{at}")},
):
    sensor: str
    at: IsoMillis
    month: str = Field(default_factory=_month)
    celsius: Decimal


@query(Reading, range=Range("at", ge="since", lt="until"))
def readings_of_month(
    sensor: str, month: str, *, since: datetime | None = None, until: datetime | None = None
) -> None:
    """The readings of one sensor in one month."""


def readings(db: Db, sensor: str, since: datetime, until: datetime) -> Iterator[Reading]:
    """The readings of one sensor from ``since`` to before ``until``, bucket by bucket."""
    for month in months(since, until):
        yield from db.iterate(readings_of_month(sensor, month, since=since, until=until))


def months(since: datetime, until: datetime) -> Iterator[str]:
    """The names of all buckets between two times."""
    day = since.astimezone(UTC).replace(day=1)
    while month_of(day) <= month_of(until):
        yield month_of(day)
        day = (day + timedelta(days=32)).replace(day=1)


def main() -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(metering)
        for month in (11, 12, 1, 2):
            at = datetime(2025 if month > 6 else 2026, month, 15, 12, tzinfo=UTC)
            db.run(put(Reading(sensor="attic", at=at, celsius=Decimal("4.5"))))

        december = db.run(readings_of_month("attic", "2025-12"))
        print("December:", *(each.at.date() for each in december))
        since, until = datetime(2025, 12, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)
        print("over new year:", *(each.at.date() for each in readings(db, "attic", since, until)))


if __name__ == "__main__":
    main()
