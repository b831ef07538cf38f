"""How long things are kept."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from tablewright.systems.kurukshetra.events import Config

DRAFT = timedelta(days=30)
INVITATION = timedelta(days=14)
SCAN = timedelta(days=7)
GATEWAY_EVENT = timedelta(days=90)
#: The books: payments, refunds, audit.
BOOK_YEARS = 8
#: The same for what has a ``ttl``: not a day less.
BOOKS = timedelta(days=BOOK_YEARS * 366)


def people_until(config: Config) -> datetime:
    """When the people of an event are forgotten."""
    return config.event_end + timedelta(days=config.retention_days)


def people_due(config: Config, at: datetime) -> bool:
    return at >= people_until(config)


def books_until(day: date) -> date:
    """The first day on which a payment of ``day`` may go."""
    try:
        return day.replace(year=day.year + BOOK_YEARS)
    except ValueError:  # the 29th of February, of a year before one that has none
        return date(day.year + BOOK_YEARS, 3, 1)


def ends(at: datetime, kept: timedelta) -> datetime:
    """The end of what is kept for a time, as its ``ttl``."""
    return at.replace(microsecond=0) + kept
