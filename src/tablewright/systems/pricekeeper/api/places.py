"""Parts of addresses, as the reference shows them; the use cases check them, and answer 400."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from fastapi import Path, Query

from tablewright.systems.pricekeeper.bodies.fields import UuidText, Window

#: What is told of an address that cannot be one.
BAD_PLACE: Final = {
    400: "A part of the address is not what it has to be: `BAD_ORG_ID`, `BAD_APP_ID`, …"
}

_NAME = {"pattern": "^[a-z0-9][a-z0-9_-]{0,62}$"}
_DAY = {"format": "date", "examples": ["2026-11-15"]}

OrgId: TypeAlias = Annotated[
    str, Path(description="The organisation, a UUID.", json_schema_extra={"format": "uuid"})
]
AppId: TypeAlias = Annotated[
    str, Path(description="The app: small letters, digits, - and _.", json_schema_extra=_NAME)
]
LabelName: TypeAlias = Annotated[
    str, Path(description="The label: small letters, digits, - and _.", json_schema_extra=_NAME)
]
ModelId: TypeAlias = Annotated[
    str,
    Path(
        description="The id of a model or of an inference profile; it may hold slashes.",
        json_schema_extra={"pattern": "^[A-Za-z0-9][A-Za-z0-9._:/+-]{0,94}$"},
    ),
]
RequestId: TypeAlias = Annotated[UuidText, Path(description="What the record was reported under.")]
ReservationId: TypeAlias = Annotated[
    str, Path(description="What the reservation was answered with.", max_length=400)
]
Period: TypeAlias = Annotated[
    str,
    Path(
        description="A day (2026-11-15), a week (2026-W47) or a month (2026-11).",
        json_schema_extra={
            "pattern": "^[0-9]{4}-([0-9]{2}(-[0-9]{2})?|W[0-9]{2})$",
            "examples": ["2026-11-15", "2026-W47", "2026-11"],
        },
    ),
]
Day: TypeAlias = Annotated[
    str | None,
    Query(description="A day, such as 2026-11-15. Absent: today.", json_schema_extra=_DAY),
]
First: TypeAlias = Annotated[
    str, Query(alias="from", description="The first day.", json_schema_extra=_DAY)
]
Last: TypeAlias = Annotated[
    str, Query(alias="to", description="The last day, included.", json_schema_extra=_DAY)
]
MaybeFirst: TypeAlias = Annotated[
    str | None, Query(alias="from", description="The first day.", json_schema_extra=_DAY)
]
MaybeLast: TypeAlias = Annotated[
    str | None, Query(alias="to", description="The last day, included.", json_schema_extra=_DAY)
]
By: TypeAlias = Annotated[Window, Query(description="By days, weeks or months.")]
