"""Moments, days, times of day and durations."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from orjson import OPT_OMIT_MICROSECONDS, OPT_UTC_Z, dumps

from tablewright.model.storage.base import Names
from tablewright.model.storage.scalars import Misplaced, Scalar
from tablewright.model.types import TimeForm, cut
from tablewright.values import EXACT, format_number

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

_TIMESPECS: dict[TimeForm, str] = {
    "iso_seconds": "seconds",
    "iso_millis": "milliseconds",
    "iso_micros": "microseconds",
}
_UNITS: dict[TimeForm, timedelta] = {
    "epoch_seconds": timedelta(seconds=1),
    "epoch_millis": timedelta(milliseconds=1),
}


class IsoMoment(Scalar):
    """``2026-01-31T12:00:00.000000Z``: always UTC and of one length, so that texts sort by time."""

    kind = "S"
    label = "a time in ISO 8601"
    python = (datetime,)

    def __init__(self, form: TimeForm) -> None:
        self.form = form
        self.timespec = _TIMESPECS[form]

    def wire(self, value: Any) -> str:
        if not isinstance(value, datetime):
            raise Misplaced
        return cut(value, self.form).isoformat("T", self.timespec)[:-6] + "Z"

    def value(self, wire: Any) -> object:
        moment = datetime.fromisoformat(wire)
        if moment.tzinfo is None:
            raise ValueError("it has no zone, such as a Z at its end")
        return moment.astimezone(UTC)

    def write_wire(self, value: str, names: Names) -> str:
        utc, quick, other = names.of(UTC), names.of(_QUICK[self.form]), names.of(self.wire)
        return f"{quick}({value}) if {value}.tzinfo is {utc} else {other}({value})"

    def read_wire(self, wire: str, names: Names) -> str:
        parse, utc, other = names.of(datetime.fromisoformat), names.of(UTC), names.of(_in_utc)
        moment = names.fresh()
        quick = f"({moment} := {parse}({wire})).tzinfo is {utc}"
        return f"({moment} if {quick} else {other}({moment}))"


# orjson writes a time in UTC in a third of the time that isoformat() takes. It leaves a fraction of
# nothing out, and refuses subclasses, which then go the careful way.


def _quick_seconds(moment: datetime) -> str:
    return dumps(moment, None, _WHOLE)[1:-1].decode()


def _quick_millis(moment: datetime) -> str:
    text = dumps(moment, None, _FINE)[1:-1].decode()
    return text[:23] + "Z" if moment.microsecond else text[:-1] + ".000Z"


def _quick_micros(moment: datetime) -> str:
    text = dumps(moment, None, _FINE)[1:-1].decode()
    return text if moment.microsecond else text[:-1] + ".000000Z"


_FINE = OPT_UTC_Z
_WHOLE = OPT_UTC_Z | OPT_OMIT_MICROSECONDS
_QUICK: dict[TimeForm, Callable[[datetime], str]] = {
    "iso_seconds": _quick_seconds,
    "iso_millis": _quick_millis,
    "iso_micros": _quick_micros,
}


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError
    return moment.astimezone(UTC)


class EpochMoment(Scalar):
    """Whole seconds or milliseconds since 1970, as a number."""

    kind = "N"
    label = "a time as whole {} since 1970"
    python = (datetime,)

    def __init__(self, form: TimeForm) -> None:
        self.form = form
        self.unit = _UNITS[form]
        self.label = self.label.format("seconds" if form == "epoch_seconds" else "milliseconds")

    def wire(self, value: Any) -> str:
        if not isinstance(value, datetime):
            raise Misplaced
        return str((cut(value, self.form) - EPOCH) // self.unit)

    def value(self, wire: Any) -> object:
        return EPOCH + int(wire) * self.unit

    def write_wire(self, value: str, names: Names) -> str:
        # Without a zone the subtraction fails, as it should.
        text, epoch, unit = names.of(str), names.of(EPOCH), names.of(self.unit)
        return f"{text}(({value} - {epoch}) // {unit})"

    def read_wire(self, wire: str, names: Names) -> str:
        whole, epoch, unit = names.of(int), names.of(EPOCH), names.of(self.unit)
        return f"({epoch} + {whole}({wire}) * {unit})"


class Day(Scalar):
    kind = "S"
    label = "a date in ISO 8601"
    python = (date,)

    def wire(self, value: Any) -> str:
        if not isinstance(value, date) or isinstance(value, datetime):
            raise Misplaced
        return value.isoformat()

    def value(self, wire: Any) -> object:
        return date.fromisoformat(wire)


class TimeOfDay(Scalar):
    kind = "S"
    label = "a time of day in ISO 8601"
    python = (time,)

    def wire(self, value: Any) -> str:
        if not isinstance(value, time):
            raise Misplaced
        return value.isoformat()

    def value(self, wire: Any) -> object:
        return time.fromisoformat(wire)


class Duration(Scalar):
    """Seconds, exact to the microsecond."""

    kind = "N"
    label = "a duration in seconds"
    python = (timedelta,)

    def wire(self, value: Any) -> str:
        if not isinstance(value, timedelta):
            raise Misplaced
        return format_number(EXACT.scaleb(Decimal(value // _MICROSECOND), -6))

    def value(self, wire: Any) -> object:
        micros = EXACT.scaleb(Decimal(wire), 6)
        if micros != micros.to_integral_value():
            raise ValueError("it is finer than a microsecond")
        return timedelta(microseconds=int(micros))
