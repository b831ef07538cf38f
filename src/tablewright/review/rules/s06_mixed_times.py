"""S06: times of one attribute in several forms."""

import re
from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Attribute, Design, Entity
from tablewright.review.finding import Found
from tablewright.review.looks import looks
from tablewright.review.rule import Rule
from tablewright.review.samples import components, shown_of
from tablewright.review.templates import fields

_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:?\d{2})?").fullmatch


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        keys = {name for key in entity.keys for each in key.templates for name in fields(each)}
        for each in entity.attributes:
            forms: dict[str, str] = {}
            for text, shown in _texts(design, entity, each):
                match = _TIME(text)
                if match is not None:
                    forms.setdefault(_form(match), shown)
            if len(forms) > 1:
                yield Found(
                    finding.attribute(entity.name, each.name),
                    f"{each.name} is shown in {len(forms)} forms: {', '.join(forms.values())}."
                    + (" It is part of a key." if each.name in keys else ""),
                    severity=None if each.name in keys else "note",
                )


def _form(match: re.Match[str]) -> str:
    return f"{len(match[1] or '')} {'Z' if match[2] == 'Z' else 'offset' if match[2] else ''}"


def _texts(design: Design, entity: Entity, each: Attribute) -> Iterator[tuple[str, str]]:
    """All texts of an attribute, each with what may be shown of it."""
    table = design.table(entity.table)
    for example in each.examples:
        yield str(example), str(example)
    for sample, item in shown_of(design, entity):
        value = item.get(each.name, {}).get("S")
        in_key = components(item, entity, table).get(each.name)
        for text in (value, in_key):
            if text is not None:
                yield text, f"{looks(text)} in {sample.deployed}" if sample.deployed else text


RULE = Rule(
    code="S06",
    severity="warning",
    title="Times are written in several forms",
    why="Keys and comparisons go by text: 10:00:00.500Z comes before 10:00:00Z, and 12:00+02:00 "
    "after 11:00Z. One instant in two forms is two keys.",
    fix="Write all times in UTC with one precision.",
    bad="""
Table("News", pk="id", sk="at"),
Entity("Article", "News", keys=[Key("{id}", "{at}")], attributes=[
    Attribute("at", examples=["2025-11-17T14:30:00Z", "2025-11-17T14:30:00.000Z"])]),
""",
    good="""
Table("News", pk="id", sk="at"),
Entity("Article", "News", keys=[Key("{id}", "{at}")], attributes=[
    Attribute("at", examples=["2025-11-17T14:30:00.000Z", "2025-11-17T14:31:00.000Z"])]),
""",
    check=check,
)
