"""X05: personal data that nothing ever deletes."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Entity
from tablewright.review.finding import Found
from tablewright.review.reading import all_writes, changes, written
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    if not design.writes_declared:
        return
    deleted = {write.entity for _, write in all_writes(design) if write.kind == "delete"}
    for entity in design.entities:
        personal = [each.name for each in entity.attributes if each.personal]
        if personal and entity.name not in deleted and not _ends(design, entity, personal):
            yield Found(
                finding.entity(entity.name),
                f"{entity.name} keeps {', '.join(personal)} of a person: it has no end, and no "
                "pattern erases it.",
            )


def _ends(design: Design, entity: Entity, personal: list[str]) -> bool:
    if entity.ttl is not None or entity.retention is not None:
        return True
    # Who takes all of it away at once, or puts something else there, erases the person.
    return any(
        write.entity == entity.name
        and written(write) >= set(personal)
        and any(each.action == "REMOVE" and each.path[0] in personal for each in changes(write))
        for _, write in all_writes(design)
    )


RULE = Rule(
    code="X05",
    severity="warning",
    title="Personal data without an end",
    why="Data about people may be kept as long as its purpose lasts, and has to be erased when "
    "they ask for it. What has neither a time to live nor a pattern that deletes it stays.",
    fix="Give the entity an end (time to live, or a worker with a rule), or declare the pattern "
    "that erases it. Keep what a ledger needs apart from who it was.",
    bad="""
Table("Shop", pk="id"),
Entity("Payment", "Shop", keys=[Key("{id}")],
       attributes=[Attribute("id"), Attribute("ip_address", personal=True)]),
""",
    good="""
Table("Shop", pk="id", ttl="ends"),
Entity("Payment", "Shop", keys=[Key("{id}")], ttl="ends",
       attributes=[Attribute("id"), Attribute("ip_address", personal=True),
                   Attribute("ends", "N")]),
""",
    check=check,
)
