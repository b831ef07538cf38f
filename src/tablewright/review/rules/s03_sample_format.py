"""S03: shown values that do not have the form that is declared for them."""

import re
from collections.abc import Iterator
from decimal import Decimal

from tablewright.review import finding
from tablewright.review.design import Attribute, Design, Sample
from tablewright.review.finding import Found
from tablewright.review.languages import FORMATS
from tablewright.review.looks import found_in, told
from tablewright.review.rule import Rule
from tablewright.review.samples import shown_of, values_of

#: What a document says beside an attribute.
_SHOWN = Sample("", {})
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_NAMES = {"ulid": "a ULID", "uuid": "a UUID", "phone": "a phone number in E.164", "iso": "ISO 8601"}


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        table = design.table(entity.table)
        for each in entity.attributes:
            for example in each.examples:
                problem = misfit(each, example, _SHOWN)
                if problem:
                    yield Found(finding.attribute(entity.name, each.name), problem)
        for sample, item in shown_of(design, entity):
            shown = values_of(item, entity, table)
            for each in entity.attributes:
                problem = misfit(each, shown[each.name], sample) if each.name in shown else ""
                if problem:
                    yield found_in(design, sample, item, problem)


def misfit(each: Attribute, value: object, sample: Sample) -> str:
    """What is wrong with the form of a value; "" if nothing is."""
    if each.pattern is not None and isinstance(value, str):
        try:
            if re.search(each.pattern, value) is None:
                return f"{each.name} is {told(value, sample)}, which {each.pattern!r} refuses."
        except re.error:
            return ""
    if each.format in ("epoch_seconds", "epoch_millis"):
        return _epoch(each, value, sample)
    expression = FORMATS.get(each.format or "")
    if expression is None or not isinstance(value, str) or re.fullmatch(expression, value):
        return ""
    name = _NAMES.get(each.format or "", f"{each.format}")
    reason = "" if sample.deployed else _reason(each.format, value)
    return f"{each.name} is {told(value, sample)}, which is not {name}{reason}."


def _epoch(each: Attribute, value: object, sample: Sample) -> str:
    if not isinstance(value, int | float | Decimal) or isinstance(value, bool):
        return ""
    millis = value > 100_000_000_000
    if millis != (each.format == "epoch_millis") and value:
        seen = "milliseconds" if millis else "seconds"
        shown = told(value, sample)
        return f"{each.name} is {shown}, which looks like {seen}; it is declared as {each.format}."
    return ""


def _reason(form: str | None, value: str) -> str:
    if form != "ulid":
        return ""
    wrong = sorted(set(value.upper()) - set(_CROCKFORD))
    reasons = []
    if len(value) != 26:
        reasons.append(f"it has {len(value)} characters instead of 26")
    if wrong:
        reasons.append(f"{', '.join(wrong)} does not occur in one")
    return f": {', and '.join(reasons)}" if reasons else ""


RULE = Rule(
    code="S03",
    severity="error",
    title="A shown value has another form than declared",
    why="If the document's own example does not pass its validation, either the example or the "
    "rule is wrong. Tests and demo data made from it fail, or get used to what is not allowed.",
    fix="Correct the example, or the pattern.",
    bad="""
Entity("Org", "App", attributes=[Attribute("org_id", format="ulid")]),
Sample("Org", {"org_id": "01JKXYZ1234567890ABCDE"}),
""",
    good="""
Entity("Org", "App", attributes=[Attribute("org_id", format="ulid")]),
Sample("Org", {"org_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}),
""",
    check=check,
)
