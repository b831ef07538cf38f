"""Models that can be used."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from tablewright.systems.sentiment.bodies.moments import Moment
from tablewright.systems.sentiment.config import ModelKind, ModelVersion

_MODEL: Final[dict[str, Any]] = {
    "model_version": "v1.2.0+finbert",
    "kind": "onnx",
    "path": "finbert",
    "checksum": "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c",
    "description": "FinBERT, exported to ONNX.",
}

VersionText: TypeAlias = Annotated[
    str,
    Field(
        pattern=r"^v[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}(\+[a-z0-9.-]{1,40})?$",
        description="Such as `v1.2.0+finbert`; it never means another model.",
    ),
]
_LINE = r"^[^\x00-\x1f\x7f]*$"


class ModelIn(BaseModel):
    """A folder on the machine that holds a model."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, json_schema_extra={"examples": [_MODEL]}
    )

    model_version: VersionText
    kind: Literal["onnx", "transformers"]
    path: str = Field(
        min_length=1,
        max_length=500,
        pattern=_LINE,
        description="The model's folder, below the folder for models.",
    )
    checksum: str | None = Field(
        default=None,
        pattern=r"^[0-9a-f]{64}$",
        description="SHA-256 over the files, if you know it: what differs is refused.",
    )
    description: str = Field(default="", max_length=500, pattern=_LINE)


class ModelOut(BaseModel):
    """A model that can be used."""

    model_config = ConfigDict(frozen=True)

    model_version: str
    kind: ModelKind
    checksum: str
    path: str | None = Field(description="Its folder; null if it comes with the program.")
    description: str
    registered_at: Moment
    active: bool = Field(description="Whether new articles are judged by it.")


class ModelsOut(BaseModel):
    """All models."""

    model_config = ConfigDict(frozen=True)

    items: list[ModelOut]


def model_out(model: ModelVersion, active: str) -> ModelOut:
    return ModelOut(
        **model.model_dump(include=set(ModelOut.model_fields) - {"active"}),
        active=model.model_version == active,
    )
