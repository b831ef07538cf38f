"""Times in keys, by the storage form of their field: ISO text in UTC, or digits since the epoch.

All texts of a form are equally long, so their order is that of the times; one instant in two zones
is one text.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from tablewright.model.keys.digits import DIGITS
from tablewright.model.keys.encoders import Encoder, Outside, Place, Spot
from tablewright.model.types import TimeForm

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TIMESPEC = {"iso_seconds": "seconds", "iso_millis": "milliseconds", "iso_micros": "microseconds"}
_FRACTION = {"iso_seconds": "", "iso_millis": r"\.[0-9]{3}", "iso_micros": r"\.[0-9]{6}"}
_ISO_WIDTH = {"iso_seconds": 20, "iso_millis": 24, "iso_micros": 27}
_EPOCH_WIDTH = {"epoch_seconds": 10, "epoch_millis": 13}
#: In microseconds.
_STEP = {
    "iso_seconds": 1_000_000,
    "iso_millis": 1_000,
    "iso_micros": 1,
    "epoch_seconds": 1_000_000,
    "epoch_millis": 1_000,
}
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"


def time_encoder(form: TimeForm) -> Encoder:
    """Times in ``form``; what is finer than the form is cut off, and known to be cut in bounds."""
    return _iso_encoder(form) if form in _TIMESPEC else _epoch_encoder(form)


def _utc(value: object) -> datetime:
    if not isinstance(value, datetime):
        raise TypeError(f"a datetime is expected, not {value!r}")
    if value.tzinfo is None:
        raise ValueError("a time needs a zone: use datetime.now(UTC), or .replace(tzinfo=UTC)")
    return value if value.tzinfo is UTC else value.astimezone(UTC)


def _is_whole(value: object, form: TimeForm) -> bool:
    """Whether nothing is finer than the form."""
    return _utc(value).microsecond % _STEP[form] == 0


def _iso_encoder(form: TimeForm) -> Encoder:
    timespec = _TIMESPEC[form]

    def encode(value: object) -> str:
        moment = _utc(value)
        # Twice as fast as the whole time's own isoformat, which works out the zone.
        return f"{moment.date()}T{moment.time().isoformat(timespec)}Z"

    def locate(value: object) -> Place:
        moment = _utc(value)
        return Spot(encode(moment), _is_whole(moment, form))

    return Encoder(
        "a datetime",
        encode,
        datetime.fromisoformat,
        f"{_DAY}T[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}{_FRACTION[form]}Z",
        _ISO_WIDTH[form],
        DIGITS | set("-:.TZ"),
        locate=locate,
        begin=_iso_beginning,
    )


def _iso_beginning(text: str) -> str:
    if not set(text) <= DIGITS | set("-:.TZ"):
        raise ValueError(f"no time begins with {text!r}: they look like 2026-01-31T12:00:00Z")
    return text


def since_epoch(value: object, form: TimeForm) -> int:
    """Seconds or milliseconds since 1970, cut down."""
    passed = _utc(value) - _EPOCH
    seconds = passed.days * 86_400 + passed.seconds
    return seconds if form == "epoch_seconds" else seconds * 1000 + passed.microseconds // 1000


def after_epoch(number: int, form: TimeForm) -> datetime:
    unit = "seconds" if form == "epoch_seconds" else "milliseconds"
    return _EPOCH + timedelta(**{unit: number})


def _epoch_encoder(form: TimeForm) -> Encoder:
    width = _EPOCH_WIDTH[form]
    limit = 10**width

    def encode(value: object) -> str:
        number = since_epoch(value, form)
        if 0 <= number < limit:
            return f"{number:0{width}d}"
        raise ValueError(f"{value} is not from 1970 to 2286, for which the key has {width} digits")

    def locate(value: object) -> Place:
        number = since_epoch(value, form)
        if number < 0:
            return Outside.BELOW
        if number >= limit:
            return Outside.ABOVE
        return Spot(encode(value), _is_whole(value, form))

    return Encoder(
        "a datetime",
        encode,
        lambda text: after_epoch(int(text), form),
        f"[0-9]{{{width}}}",
        width,
        DIGITS,
        locate=locate,
    )


def stored_epoch_encoder(form: TimeForm) -> Encoder:
    """The number of an attribute, without padding."""

    def encode(value: object) -> str:
        return str(since_epoch(value, form))

    return Encoder(
        "a datetime",
        encode,
        lambda text: after_epoch(int(text), form),
        "-?[0-9]+",
        alphabet=DIGITS | {"-"},
        ordered=False,
        locate=lambda value: Spot(encode(value), _is_whole(value, form)),
    )


def _day(value: object) -> str:
    if not isinstance(value, date) or isinstance(value, datetime):
        raise TypeError(f"a date is expected, not {value!r}")
    return value.isoformat()


def _day_beginning(text: str) -> str:
    if not set(text) <= DIGITS | {"-"}:
        raise ValueError(f"no date begins with {text!r}: they look like 2026-01-31")
    return text


DAY = Encoder("a date", _day, date.fromisoformat, _DAY, 10, DIGITS | {"-"}, begin=_day_beginning)
