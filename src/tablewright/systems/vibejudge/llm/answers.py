"""What an answer has to look like, and reading one.

Models are given the schema and mostly keep to it. Reading is lenient where the meaning is plain (a
code fence around the object, a sentence before it, a number in quotes, too long a message) and
strict where it is not: a score that lacks, is out of range, or belongs to another agent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Any, NoReturn, TypeAlias, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tablewright.systems.vibejudge.analysis import Severity
from tablewright.systems.vibejudge.rules.scoring import WEIGHTS
from tablewright.systems.vibejudge.table import Agent

SUB_SCORES: Mapping[Agent, tuple[str, ...]] = {
    agent: tuple(weights) for agent, weights in WEIGHTS.items()
}
#: Sub-scores that may not apply.
OPTIONAL = frozenset({"database_design", "api_design"})
#: Characters of an answer that are looked at, and findings.
MOST_CHARS, MOST_FINDINGS = 100_000, 20
_HUNDREDTH = Decimal("0.01")


class BadAnswer(ValueError):
    """An answer that cannot be used; the text tells the model why."""


def _number(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("is no number")
    return value


def _trimmed(most: int) -> BeforeValidator:
    def trim(value: object) -> object:
        return value.strip()[:most] if isinstance(value, str) else value

    return BeforeValidator(trim)


def _small_letters(value: object) -> object:
    return value.strip().lower() if isinstance(value, str) else value


_Number: TypeAlias = Annotated[Decimal, BeforeValidator(_number), Field(allow_inf_nan=False)]
SubScoreGiven: TypeAlias = Annotated[_Number, Field(ge=0, le=10)]


class Finding(BaseModel):
    """Evidence as a model gives it, before anybody looked it up."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    file: Annotated[str, _trimmed(1000), Field(min_length=1)]
    line: Annotated[int, BeforeValidator(_number), Field(ge=1, le=10_000_000)]
    severity: Annotated[Severity, BeforeValidator(_small_letters)]
    message: Annotated[str, _trimmed(500), Field(min_length=1)]
    excerpt: Annotated[str, _trimmed(2000)]


class _Given(BaseModel):
    model_config = ConfigDict(extra="ignore")

    scores: dict[str, SubScoreGiven | None]
    evidence: list[Finding]
    summary: Annotated[str, _trimmed(2000), Field(min_length=1)]
    confidence: Annotated[_Number, Field(ge=0, le=1)]


@dataclass(frozen=True, slots=True)
class Answer:
    scores: Mapping[str, Decimal | None]
    evidence: tuple[Finding, ...]
    summary: str
    confidence: Decimal


def schema_of(agent: Agent) -> dict[str, object]:
    """JSON schema of an answer, in the part of it that providers can hold models to."""
    scores = {
        name: {"type": ["number", "null"] if name in OPTIONAL else "number"}
        for name in SUB_SCORES[agent]
    }
    finding = {
        "file": {"type": "string"},
        "line": {"type": "integer"},
        "severity": {"type": "string", "enum": list(get_args(Severity))},
        "message": {"type": "string"},
        "excerpt": {"type": "string"},
    }
    return _object(
        {
            "scores": _object(scores),
            "evidence": {"type": "array", "items": _object(finding)},
            "summary": {"type": "string"},
            "confidence": {"type": "number"},
        }
    )


def _object(members: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def read_answer(agent: Agent, text: str) -> Answer:
    """The answer in what a model said; :class:`BadAnswer` if there is none."""
    try:
        given = _Given.model_validate(_document(text))
    except ValidationError as error:
        raise BadAnswer(_told(error)) from None
    _check_names(agent, given.scores)
    return Answer(
        scores={name: _hundredths(given.scores[name]) for name in SUB_SCORES[agent]},
        evidence=tuple(given.evidence[:MOST_FINDINGS]),
        summary=given.summary,
        confidence=given.confidence.quantize(_HUNDREDTH, ROUND_HALF_UP),
    )


def _check_names(agent: Agent, scores: Mapping[str, Decimal | None]) -> None:
    wanted = SUB_SCORES[agent]
    if absent := [name for name in wanted if name not in scores]:
        raise BadAnswer(f"scores lacks {', '.join(absent)}")
    if set(scores) - set(wanted):
        raise BadAnswer(f"scores has names other than {', '.join(wanted)}")
    if empty := [name for name in wanted if scores[name] is None and name not in OPTIONAL]:
        raise BadAnswer(f"{', '.join(empty)} cannot be null")


def _hundredths(score: Decimal | None) -> Decimal | None:
    return None if score is None else score.quantize(_HUNDREDTH, ROUND_HALF_UP)


def _document(text: str) -> dict[str, Any]:
    """The first object in the text; what stands around it is of no interest."""
    start = text.find("{")
    if start < 0 or len(text) > MOST_CHARS:
        raise BadAnswer("there is no JSON object in it" if start < 0 else "it is too long")
    reader = json.JSONDecoder(parse_float=Decimal, parse_constant=_no_constant)
    try:
        found, _ = reader.raw_decode(text, start)
    except (json.JSONDecodeError, RecursionError, ValueError) as error:
        where = f" near character {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        raise BadAnswer(f"it is no complete JSON{where}") from None
    return dict(found)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _told(error: ValidationError) -> str:
    """What is wrong, and where; never what was said there."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part)[:40] for part in first["loc"][:4])
    return f"{where}: {first['msg'][:200]}"
