"""P12: results in an order that no sort key has."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Entity, Key, Pattern
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.templates import TIMES, fields, single


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        random = _random(design, pattern)
        if random is not None:
            yield Found(
                finding.pattern(pattern.name),
                f"It reads in descending order, but the order is that of {random}, a random UUID: "
                "the first results are not the latest.",
                fix="Put a time or a ULID into the sort key before it, or drop descending=True.",
            )
        if pattern.order is None or pattern.kind not in ("query", "scan"):
            continue
        reason = _unordered(design, pattern)
        if reason:
            yield Found(
                finding.pattern(pattern.name),
                f"Its results are to be ordered by {pattern.order}, but {reason}: all of them have "
                "to be read before the first can be shown.",
            )


def _same_order(entity: Entity, name: str, order: str | None) -> bool:
    """Whether a component follows the order that is wanted: ULIDs begin with a time."""
    component, wanted = entity.attribute(name), entity.attribute(order or "")
    if component is None or wanted is None:
        return False
    return component.format == "ulid" and wanted.format in TIMES


def _random(design: Design, pattern: Pattern) -> str | None:
    """The random component that decides the order of a pattern which reads the highest first."""
    table, entity = design.table_of(pattern), design.entity(pattern.entity)
    if not pattern.descending or pattern.kind != "query" or table is None or entity is None:
        return None
    side = table if pattern.index is None else table.index(pattern.index)
    key = entity.key_on(pattern.index)
    for declared, template in zip(
        () if side is None else side.sort, () if key is None else key.sort, strict=False
    ):
        term = pattern.key.get(declared.name)
        text = term if isinstance(term, str) else getattr(term, "text", getattr(term, "low", ""))
        given = {*fields(text or ""), *_partition(key)}
        for name in fields(template):
            known = entity.attribute(name)
            if name not in given:
                return name if known is not None and known.format == "uuid" else None
    return None


def _partition(key: Key | None) -> set[str]:
    return {name for each in (key.partition if key else ()) for name in fields(each)}


def _unordered(design: Design, pattern: Pattern) -> str:
    """Why the results come in another order; "" if they do not."""
    if pattern.kind == "scan":
        return "a Scan has no order"
    table = design.table_of(pattern)
    entity = design.entity(pattern.entity)
    if table is None or entity is None:
        return ""
    side = table if pattern.index is None else table.index(pattern.index)
    key = entity.key_on(pattern.index)
    if side is None or key is None:
        return ""
    if not key.sort or not side.sort:
        return f"{pattern.index or table.name} has no sort key"
    given: set[str] = set()
    for declared, template in zip(side.sort, key.sort, strict=False):
        term = pattern.key.get(declared.name)
        text = term if isinstance(term, str) else getattr(term, "text", "")
        given |= set(fields(text or ""))
        rest = [name for name in fields(template) if name not in given]
        if rest:
            ordered = (
                rest[0] == pattern.order
                or (declared.name == pattern.order and single(template) is not None)
                or _same_order(entity, rest[0], pattern.order)
            )
            return "" if ordered else f"the sort key is {template!r}"
    return "the sort key is a constant"


RULE = Rule(
    code="P12",
    severity="warning",
    title="The order is not the order of the key",
    why="Query returns items in the order of the sort key, up or down, and in no other. A Scan has "
    "none. Sorting afterwards means reading everything: a page of the best ten costs all of them.",
    fix="Put the value into the sort key of an index, with a fixed width: RANK#{score:07.2f}.",
    bad="""
Table("App", pk="PK", sk="SK"),
Entity("Entry", "App", keys=[Key("GAME#{game}", "ENTRY#{id}")],
       attributes=[Attribute("score", "N")]),
Pattern("leaderboard", "query", "Entry", key={"PK": "GAME#{game}"}, order="score"),
""",
    good="""
Table("App", pk="PK", sk="SK", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")]),
Entity("Entry", "App", keys=[Key("GAME#{game}", "ENTRY#{id}"),
                             Key("GAME#{game}", "RANK#{score:07.2f}#{id}", on="GSI1")],
       attributes=[Attribute("score", "N")]),
Pattern("leaderboard", "query", "Entry", index="GSI1", key={"GSI1PK": "GAME#{game}"},
        order="score", descending=True),
""",
    check=check,
)
