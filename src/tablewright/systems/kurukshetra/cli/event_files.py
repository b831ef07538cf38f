"""What an event should be: from a file, JSON or TOML, and from what is typed."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

from tablewright.service.problems import FieldError, invalid
from tablewright.service.typed import file_name

_MOST_BYTES: Final = 1 << 20
#: Members that are times, with the option that says them, and whether a day means its end.
_TIMES: Final = {
    "registration_start": ("--opens", False),
    "registration_end": ("--closes", True),
    "event_start": ("--starts", False),
    "event_end": ("--ends", True),
    "roster_lock_at": ("--roster", True),
}


def settings_of(file: Path | None, typed: Mapping[str, object], zone: str) -> dict[str, object]:
    """What is typed, else what the file says. Times without a zone are those of the event."""
    said = {} if file is None else _members(file)
    values = {**said, **{name: each for name, each in typed.items() if each is not None}}
    place = str(values.get("zone", zone))
    return {
        name: moment_of(*_TIMES[name], each, place) if name in _TIMES else each
        for name, each in values.items()
    }


def _members(file: Path) -> dict[str, object]:
    try:
        data = file.read_bytes()[: _MOST_BYTES + 1]
        text = data.decode("utf-8-sig")
        toml = file.suffix.lower() == ".toml"
        found = tomllib.loads(text) if toml else json.loads(text)
    except OSError as error:
        raise _bad(f"{file_name(file)}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise _bad(f"{file_name(file)}: {error}") from None
    if len(data) > _MOST_BYTES or not isinstance(found, dict):
        raise _bad(f"{file_name(file)} has to say what an event's name is, and so on")
    return found


def moment_of(option: str, ends: bool, value: object, zone: str) -> object:
    """A day begins with its first second and ends with its last, by the clocks of its place."""
    from tablewright.systems.kurukshetra.rules import local_time

    if isinstance(value, str):
        try:
            text = value.strip()
            value = date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text)
        except ValueError:
            message = f"{value!r} is no time: 2026-12-05, 2026-12-05T09:00, 2026-12-05T03:30:00Z"
            raise invalid(FieldError(option, message)) from None
    try:
        if isinstance(value, datetime):
            local = value.tzinfo is None
            found = local_time.instant(value, zone, later=ends) if local else value
            return found.astimezone(UTC)
        if isinstance(value, date):
            day = local_time.end_of if ends else local_time.start_of
            return day(value, zone)
    except local_time.BadZone as error:
        raise invalid(FieldError("--zone", str(error))) from None
    except (ValueError, OverflowError) as error:
        raise invalid(FieldError(option, str(error))) from None
    return value


def _bad(why: str) -> Exception:
    return invalid(FieldError("--from", why))
