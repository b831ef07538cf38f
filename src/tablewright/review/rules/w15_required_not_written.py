"""W15: a put that does not write what the entity requires."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.reading import all_writes
from tablewright.review.rule import Rule
from tablewright.review.templates import fields


def check(design: Design) -> Iterator[Found]:
    for pattern, write in all_writes(design):
        entity = design.entity(write.entity)
        if write.kind != "put" or not write.sets or entity is None:
            continue
        key = entity.primary
        held = {*write.sets, *(n for t in (key.templates if key else ()) for n in fields(t))}
        missing = [
            each.name
            for each in entity.attributes
            if each.required and not each.required_when and each.name not in held
        ]
        if missing:
            yield Found(
                finding.pattern(pattern.name),
                f"It puts a {entity.name} without {', '.join(missing)}, which every one has to "
                "have.",
            )


RULE = Rule(
    code="W15",
    severity="error",
    title="A put leaves out what is required",
    why="DynamoDB knows no required attributes beside the key. An item that lacks one is stored, "
    "and fails where it is read.",
    fix="Write the attribute from the beginning, or make it required only from the state on in "
    "which it is known.",
    bad="""
Table("News", pk="id"),
Entity("Article", "News", keys=[Key("{id}")],
       attributes=[Attribute("id"), Attribute("state"), Attribute("model_version")]),
Pattern("ingest", "put", "Article", sets=["id", "state"]),
""",
    good="""
Table("News", pk="id"),
Entity("Article", "News", keys=[Key("{id}")],
       attributes=[Attribute("id"), Attribute("state"),
                   Attribute("model_version", required=False)]),
Pattern("ingest", "put", "Article", sets=["id", "state"]),
""",
    check=check,
)
