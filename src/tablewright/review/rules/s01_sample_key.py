"""S01: a sample whose keys are not what the entity says."""

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

from tablewright.review.design import Design, Entity, Key, Sample, Table
from tablewright.review.finding import Found
from tablewright.review.looks import found_in, told
from tablewright.review.rule import Rule
from tablewright.review.samples import key_texts, read_template, shown_of
from tablewright.review.templates import Slot, fields, pieces
from tablewright.values import Item


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        table = design.table(entity.table)
        for sample, item in shown_of(design, entity):
            for problem in sample.key_problems or ():
                yield found_in(design, sample, item, problem)
            for key in entity.keys if sample.key_problems is None else ():
                for problem in _problems(sample, item, entity, key, table):
                    yield found_in(design, sample, item, problem)


def _problems(
    sample: Sample, item: Item, entity: Entity, key: Key, table: Table | None
) -> Iterator[str]:
    for name, template in key_texts(key, table):
        value = item.get(name)
        if value is None:
            if not _may_lack(item, entity, key):
                effect = f"so it is not in {key.on}" if key.on else "so it cannot be stored"
                what = "item" if sample.deployed else "sample"
                yield f"The {what} has no {name} ({template!r}), {effect}."
            continue
        text = next(iter(value.values()))
        if not isinstance(text, str) or key.escaped or name in fields(template):
            continue
        parts = read_template(template, text)
        if parts is None:
            yield f"{name} is {told(text, sample)}, which is not made by {template!r}."
            continue
        for field, part in parts.items():
            own = item.get(field, {})
            stored = own.get("S", own.get("N"))
            if stored is not None and not _same(stored, part, _spec(template, field)):
                yield f"{name} is {told(text, sample)}, but {field} is {told(stored, sample)}."


def _same(stored: str, part: str, spec: str) -> bool:
    """Whether a component is the stored value, as far as its format lets one tell."""
    if stored == part or "%" in spec:
        # A part of a time, such as its month, cannot be compared.
        return True
    try:
        return bool(spec) and Decimal(stored) == Decimal(part)
    except InvalidOperation:
        return False


def _spec(template: str, field: str) -> str:
    """The format of a component: ``08d`` pads a number."""
    slots = (piece for piece in pieces(template) if isinstance(piece, Slot))
    return next((slot.spec for slot in slots if slot.field == field), "")


def _may_lack(item: Item, entity: Entity, key: Key) -> bool:
    """Whether the sample is rightly not in the index."""
    if key.on is None:
        return False
    if key.when:
        return True
    for name in (name for each in key.templates for name in fields(each)):
        known = entity.attribute(name)
        if name not in item and known is not None and not known.required:
            return True
    return False


RULE = Rule(
    code="S01",
    severity="error",
    title="A sample contradicts its keys",
    why="Samples are what people copy. One whose key is not made from its own attributes, or that "
    "lacks an index key, shows that the pattern was never tried.",
    fix="Make the keys of the sample from its attributes.",
    bad="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")]),
Entity("User", "App", keys=[Key("USER#{user_id}"),
                            Key("TEAM#{team_id}", "USER#{user_id}", on="GSI1")],
       attributes=[Attribute("user_id"), Attribute("team_id")]),
Sample("User", {"PK": "USER#1", "user_id": "1", "team_id": "7", "GSI1PK": "TEAM#8"}),
""",
    good="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")]),
Entity("User", "App", keys=[Key("USER#{user_id}"),
                            Key("TEAM#{team_id}", "USER#{user_id}", on="GSI1")],
       attributes=[Attribute("user_id"), Attribute("team_id")]),
Sample("User", {"PK": "USER#1", "user_id": "1", "team_id": "7", "GSI1PK": "TEAM#7",
                "GSI1SK": "USER#1"}),
""",
    check=check,
)
