"""How long things are kept."""

from __future__ import annotations

from datetime import datetime, timedelta

from tablewright.systems.kurukshetra.events import Config

DRAFT = timedelta(days=30)
INVITATION = timedelta(days=14)
SCAN = timedelta(days=7)
DELIVERY = timedelta(days=90)
JOB = timedelta(days=90)
#: The books (payments, refunds, audit): eight years, and not a day less.
BOOKS = timedelta(days=8 * 366)


def people_until(config: Config) -> datetime:
    """When the people of an event are forgotten."""
    return config.event_end + timedelta(days=config.retention_days)


def people_due(config: Config, at: datetime) -> bool:
    return at >= people_until(config)


def ends(at: datetime, kept: timedelta) -> datetime:
    """The end of what is kept for a time, as its ``ttl``."""
    return at.replace(microsecond=0) + kept
