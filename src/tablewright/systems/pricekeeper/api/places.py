"""Parts of paths, as the reference shows them; the use cases check them, and answer 400."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Path

_NAME = {"pattern": "^[a-z0-9][a-z0-9_-]{0,62}$"}

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
