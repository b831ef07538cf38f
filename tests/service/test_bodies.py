"""Times and days in requests: what is meant, and never what it merely could be."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from pydantic import TypeAdapter, ValidationError

from tablewright.service.bodies import Day, Millis, Seconds

#: Each would be a moment of 1970, or of another century, to who takes numbers for times.
NUMBERS = ["0", "1700000000", "1.5e3", "-1", "20261204", "0.0", "1700000000000", " 0 "]


@pytest.mark.parametrize("kind", [Seconds, Millis, Day])
@pytest.mark.parametrize("sent", [*NUMBERS, 0, 1700000000, 1.5, True, None, "", "soon", []])
def test_a_number_is_no_time(kind: object, sent: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(sent)


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("2026-12-04T17:00:00Z", datetime(2026, 12, 4, 17, tzinfo=UTC)),
        ("2026-12-04T17:00:00.9+01:00", datetime(2026, 12, 4, 16, tzinfo=UTC)),
        ("2026-12-04 17:00Z", datetime(2026, 12, 4, 17, tzinfo=UTC)),
        (datetime(2026, 12, 4, tzinfo=UTC), datetime(2026, 12, 4, tzinfo=UTC)),
    ],
)
def test_times(sent: object, meant: datetime) -> None:
    assert TypeAdapter(Seconds).validate_python(sent) == meant


def test_days() -> None:
    day = TypeAdapter(Day)
    assert day.validate_python("2026-12-04") == day.validate_python(date(2026, 12, 4))
    for wrong in ("2026-12-32", "2026-12-04T00:00:00", "2026-12-04T00:00:00Z", "26-12-04"):
        with pytest.raises(ValidationError):
            day.validate_python(wrong)
