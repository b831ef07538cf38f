"""The access-pattern matrix: what is asked, by which key, how often, by whom."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tablewright.document.expressions import condition_text
from tablewright.document.markdown import code, codes, number, paragraphs, table
from tablewright.model.definition import EntityDef
from tablewright.model.keys import KeyPart
from tablewright.model.model import Model
from tablewright.model.pattern import Pattern, Rate

_HEADS = (
    "Pattern",
    "What",
    "Kind",
    "By",
    "Condition",
    "Consistency",
    "Results",
    "Rate",
    "Component",
)
_SIGNS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<", "begins_with": "begins with"}


def patterns_section(model: Model) -> str:
    reads = [each for each in model.patterns.values() if not each.writes]
    writes = [each for each in model.patterns.values() if each.writes]
    parts = ["## Access patterns"]
    if reads:
        parts += ["### Reads", table(_HEADS, [_read(each) for each in reads])]
    if writes:
        parts += ["### Writes", table(_HEADS, [_write(each) for each in writes])]
    return paragraphs(*parts) if len(parts) > 1 else ""


def _read(pattern: Pattern[..., Any]) -> tuple[str, ...]:
    return (
        code(pattern.name),
        told(pattern),
        pattern.kind,
        place_text(pattern),
        reading_text(pattern),
        consistency_text(pattern),
        _expected(pattern),
        rate_text(pattern.rate),
        pattern.component or "",
    )


def _write(pattern: Pattern[..., Any]) -> tuple[str, ...]:
    return (
        code(pattern.name),
        told(pattern),
        pattern.kind,
        members_text(pattern),
        "",
        "",
        "",
        rate_text(pattern.rate),
        pattern.component or "",
    )


def told(pattern: Pattern[..., Any]) -> str:
    """The first paragraph of what is said about a pattern."""
    return " ".join(pattern.doc.partition("\n\n")[0].split())


def place_text(pattern: Pattern[..., Any]) -> str:
    """The table or index that is read, with the key's name."""
    tables = ", ".join(each.name for each in pattern.tables)
    if pattern.members:
        return members_text(pattern)
    if pattern.key is None:
        return f"all of {code(tables)}"
    if pattern.index is None:
        return code(tables)
    extra = ", then the table" if pattern.hydrate else ""
    return f"{code(tables)}, index {code(pattern.index.name)}{extra}"


def members_text(pattern: Pattern[..., Any]) -> str:
    """What a transaction, batch or single write is made of."""
    texts = dict.fromkeys(
        f"{member.kind} {_name(member.entity)}{', …' if member.many else ''}"
        for member in pattern.members
    )
    return "; ".join(texts)


def _name(entity: EntityDef[Any] | None) -> str:
    return "any" if entity is None else code(entity.cls.__name__)


def consistency_text(pattern: Pattern[..., Any]) -> str:
    if pattern.kind == "transaction":
        return "serializable"
    return "strong" if pattern.consistent else "eventual"


def reading_text(pattern: Pattern[..., Any]) -> str:
    """The key condition, the range and the filter."""
    terms: list[str] = []
    if pattern.key is not None:
        terms += [_equals(part) for part in pattern.key.partition]
        terms += _sort(pattern, pattern.key.sort)
    if pattern.filter is not None:
        terms.append(f"filter {code(condition_text(pattern.filter))}")
    if pattern.descending:
        terms.append("descending")
    return "; ".join(terms)


def _equals(part: KeyPart) -> str:
    return f"{part.attribute.name} = {code(part.template.text)}"


def _sort(pattern: Pattern[..., Any], parts: Iterable[KeyPart]) -> list[str]:
    """What is asked of the sort key: all of it, its beginning, or a range in it."""
    terms: list[str] = []
    given = set(pattern.parameters)
    if pattern.kind == "collect":
        return terms
    for part in parts:
        lead, stop = _lead(part, given)
        if stop is None:
            terms.append(_equals(part))
            continue
        limits = pattern.range
        if limits is not None and limits.field == stop:
            bounds = ", ".join(
                f"{_SIGNS[operator]} :{name}" for operator, name in limits.parameters().items()
            )
            lead = f"{lead}{{{stop}}}" if lead else f"{{{stop}}}"
            terms.append(f"{part.attribute.name} = {code(lead)} with {code(f'{stop} {bounds}')}")
        elif lead:
            terms.append(f"{part.attribute.name} begins with {code(lead)}")
        break
    return terms


def _lead(part: KeyPart, given: set[str]) -> tuple[str, str | None]:
    """The template up to the first field that is no parameter, and that field."""
    text = ""
    for piece in part.template.pieces:
        if isinstance(piece, str):
            text += piece
        elif piece.field not in given:
            return text, piece.field
        else:
            text += f"{{{piece.field}}}"
    return text, None


def _expected(pattern: Pattern[..., Any]) -> str:
    if pattern.kind in ("get", "find"):
        return "0 or 1"
    if pattern.kind in ("count", "total"):
        return "a number"
    texts = []
    if pattern.expect is not None:
        texts.append(f"about {number(pattern.expect)}")
    if pattern.limit is not None:
        texts.append(f"pages of {pattern.limit}")
    return ", ".join(texts)


def rate_text(rate: Rate | None) -> str:
    """Calls a second, minute, hour or day: whichever makes a number that people can see."""
    if rate is None:
        return ""
    peak = "" if rate.peak is None else f", peak {_per(rate.peak)}"
    return f"{_per(rate.average)}{peak}"


def _per(second: float) -> str:
    for factor, unit in ((1, "s"), (60, "min"), (3600, "h")):
        if second * factor >= 1:
            return f"{number(second * factor)}/{unit}"
    return f"{number(second * 86400)}/day"


def components_text(patterns: Iterable[Pattern[..., Any]]) -> str:
    return codes(sorted({each.component for each in patterns if each.component}))
