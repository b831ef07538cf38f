"""S01: a sample whose keys are not what the entity says."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Entity, Key, Table
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.samples import items_of, key_texts, read_template
from tablewright.review.templates import fields
from tablewright.values import Item


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        table = design.table(entity.table)
        for item in items_of(design, entity):
            for key in entity.keys:
                for problem in _problems(item, entity, key, table):
                    yield Found(finding.sample(entity.name), problem)


def _problems(item: Item, entity: Entity, key: Key, table: Table | None) -> Iterator[str]:
    for name, template in key_texts(key, table):
        value = item.get(name)
        if value is None:
            if not _may_lack(item, entity, key):
                effect = f"so it is not in {key.on}" if key.on else "so it cannot be stored"
                yield f"The sample has no {name} ({template!r}), {effect}."
            continue
        text = next(iter(value.values()))
        if not isinstance(text, str) or key.escaped or name in fields(template):
            continue
        parts = read_template(template, text)
        if parts is None:
            yield f"{name} is {text!r}, which is not made by {template!r}."
            continue
        for field, part in parts.items():
            own = item.get(field, {})
            stored = own.get("S", own.get("N"))
            if stored is not None and stored != part:
                yield f"{name} is {text!r}, but {field} is {stored!r}."


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
