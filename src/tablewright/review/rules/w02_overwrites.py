"""W02: a put that should create, and can overwrite."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Entity, Pattern
from tablewright.review.finding import Found
from tablewright.review.reading import all_writes, calls
from tablewright.review.rule import Rule
from tablewright.review.samples import key_texts


def check(design: Design) -> Iterator[Found]:
    for pattern, write in all_writes(design):
        entity = design.entity(write.entity)
        if write.kind != "put" or write.opaque:
            continue
        history = entity is not None and entity.append_only
        if (write.new or history) and not _guarded(write, entity, design):
            what = write.entity or "the item"
            reason = f"{what} must never be overwritten" if history else f"{what} must be new"
            where = " A batch can have no conditions." if pattern.kind == "batch_write" else ""
            yield Found(
                finding.pattern(pattern.name),
                f"{reason}, but the put has no condition that says so: a retry, or a second "
                f"caller, replaces what is there.{where}",
            )


def _guarded(write: Pattern, entity: Entity | None, design: Design) -> bool:
    """Whether the condition fails if there is an item with the key."""
    absent = calls(write, "attribute_not_exists")
    if not absent:
        return False
    table = None if entity is None else design.table(entity.table)
    if entity is None or table is None:
        return True
    always = {each.name for each in entity.attributes if each.required}
    for key in entity.keys:
        always |= set() if key.when else {name for name, _ in key_texts(key, table)}
    return not absent.isdisjoint(always)


RULE = Rule(
    code="W02",
    severity="error",
    title="A put can overwrite",
    why="PutItem replaces whatever item has the same key, whole, without a word. Only a condition "
    "keeps it from doing so, and BatchWriteItem can have none.",
    fix="Add the condition attribute_not_exists(PK).",
    bad="""
Table("App", pk="PK", sk="SK"),
Entity("Payment", "App", keys=[Key("PAY#{id}", "PAY")], append_only=True),
Pattern("record", "put", "Payment"),
""",
    good="""
Table("App", pk="PK", sk="SK"),
Entity("Payment", "App", keys=[Key("PAY#{id}", "PAY")], append_only=True),
Pattern("record", "put", "Payment", condition="attribute_not_exists(PK)"),
""",
    check=check,
)
