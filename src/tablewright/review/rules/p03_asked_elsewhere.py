"""P03: a key condition for keys that nobody writes there."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.asked import asks_for
from tablewright.review.design import Design, Entity, Pattern, Table
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        table = design.table_of(pattern)
        if not pattern.reading or not pattern.key or table is None:
            continue
        side = table if pattern.index is None else table.index(pattern.index)
        if side is None:
            continue
        where = pattern.index or table.name
        partition = [e.name for e in (side.partition or table.partition)]
        names = {*partition, *(each.name for each in side.sort)}
        wrong = [name for name in pattern.key if name not in names]
        needed = names if pattern.kind in ("get", "batch_get") else partition
        if wrong or any(name not in pattern.key for name in needed):
            yield Found(
                finding.pattern(pattern.name),
                f"Its key condition names {', '.join(pattern.key)}; the key of {where} is "
                f"{', '.join(sorted(names))}.",
            )
            continue
        candidates = list(_candidates(design, pattern, table))
        if candidates and not any(_found(pattern, each, table) for each in candidates):
            yield Found(finding.pattern(pattern.name), _message(design, pattern, table, where))


def _candidates(design: Design, pattern: Pattern, table: Table) -> Iterator[Entity]:
    for entity in design.entities_of(table.name):
        if pattern.entity is None or entity.name in (pattern.entity, *pattern.also):
            yield entity


def _found(pattern: Pattern, entity: Entity, table: Table) -> bool:
    key = entity.key_on(pattern.index)
    return key is not None and asks_for(pattern, entity, key, table)


def _message(design: Design, pattern: Pattern, table: Table, where: str) -> str:
    asked = ", ".join(f"{name} {_shown(term)}" for name, term in pattern.key.items())
    message = (
        f"It asks {where} for {asked}, but {pattern.entity or 'nothing'} has no such key there."
    )
    for entity in _candidates(design, pattern, table):
        for key in entity.keys:
            if key.on != pattern.index and pattern.key:
                first = next(iter(pattern.key.values()))
                if isinstance(first, str) and key.partition and _alike(first, key.partition[0]):
                    return f"{message} It is in {key.on or table.name}: {key.partition[0]}."
    return message


def _alike(first: str, second: str) -> bool:
    return first.partition("#")[0] == second.partition("#")[0]


def _shown(term: object) -> str:
    text = getattr(term, "text", None)
    if isinstance(text, str):
        return f"begins_with {text!r}"
    return f"= {term!r}" if isinstance(term, str) else "in a range"


RULE = Rule(
    code="P03",
    severity="error",
    title="A pattern asks for keys that nobody writes there",
    why="A query finds items by the key that was written into that very table or index. A key that "
    "was written into another attribute is not found, and no error says so: the page is empty.",
    fix="Ask where the key is written, or write it where it is asked for.",
    bad="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK"), Index("GSI3", pk="GSI3PK")]),
Entity("Team", "App", keys=[Key("TEAM#{id}"), Key("PAYMENT_STATUS#{status}", on="GSI1"),
                            Key("LEADER#{leader}", on="GSI3")]),
Pattern("paid_teams", "query", "Team", index="GSI3", key={"GSI3PK": "PAYMENT_STATUS#paid"}),
""",
    good="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK"), Index("GSI3", pk="GSI3PK")]),
Entity("Team", "App", keys=[Key("TEAM#{id}"), Key("PAYMENT_STATUS#{status}", on="GSI1"),
                            Key("LEADER#{leader}", on="GSI3")]),
Pattern("paid_teams", "query", "Team", index="GSI1", key={"GSI1PK": "PAYMENT_STATUS#paid"}),
""",
    check=check,
)
