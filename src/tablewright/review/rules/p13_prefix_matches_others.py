"""P13: a query whose key condition also selects another entity."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.asked import asks_for
from tablewright.review.design import Begins, Design, Entity, Pattern, Table
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        table = design.table_of(pattern)
        if pattern.kind not in ("query", "count") or table is None or not pattern.key:
            continue
        if pattern.entity is None or not any(isinstance(t, Begins) for t in pattern.key.values()):
            continue
        others = [each.name for each in _others(design, pattern, table)]
        if others:
            prefix = next(t.text for t in pattern.key.values() if isinstance(t, Begins))
            yield Found(
                finding.pattern(pattern.name),
                f"{prefix!r} is meant for {pattern.entity}, but {', '.join(others)} begins with it "
                "too.",
            )


def _others(design: Design, pattern: Pattern, table: Table) -> Iterator[Entity]:
    for entity in design.entities_of(table.name):
        key = entity.key_on(pattern.index)
        if entity.name in (pattern.entity, *pattern.also) or key is None:
            continue
        if asks_for(pattern, entity, key, table):
            yield entity


RULE = Rule(
    code="P13",
    severity="warning",
    title="A prefix matches another entity too",
    why="begins_with looks at the text alone. Items of another kind that begin with it are read, "
    "paid for, and returned as if they belonged to the result.",
    fix="End every prefix with the delimiter, and let no entity's prefix begin another's.",
    bad="""
Table("App", pk="PK", sk="SK"),
Entity("Cost", "App", keys=[Key("SUB#{sub}", "COST#{agent}")]),
Entity("CostSummary", "App", keys=[Key("SUB#{sub}", "COST#SUMMARY#{day}")]),
Pattern("costs", "query", "Cost", key={"PK": "SUB#{sub}", "SK": Begins("COST#")}),
""",
    good="""
Table("App", pk="PK", sk="SK"),
Entity("Cost", "App", keys=[Key("SUB#{sub}", "COST#{agent}")]),
Entity("CostSummary", "App", keys=[Key("SUB#{sub}", "SUMMARY#{day}")]),
Pattern("costs", "query", "Cost", key={"PK": "SUB#{sub}", "SK": Begins("COST#")}),
""",
    check=check,
)
