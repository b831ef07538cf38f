"""K03: numbers or times in a text key whose byte order is not the order of their values."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Attribute, Begins, Design, Entity, Key, Pattern
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.templates import Slot, fields, pieces


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        table = design.table(entity.table)
        for key in entity.keys:
            side = None if table is None else table.index(key.on) or table
            if side is None or any(each.type != "S" for each in side.sort):
                continue
            names = [each.name for each in side.sort]
            for pattern in design.patterns:
                slot = _ordering(pattern, key, names) if _orders(pattern, entity, key) else None
                reason = slot and _unordered(slot, entity.attribute(slot.field), key)
                if slot and reason:
                    yield Found(
                        finding.key(entity.name, key.label),
                        f"{slot.field} stands in a text key {reason}; "
                        f"{pattern.name} reads it in order.",
                    )


def _ordering(pattern: Pattern, key: Key, names: list[str]) -> Slot | None:
    """The component by which the results are ordered: the first that is not given."""
    for name, template in zip(names, key.sort, strict=False):
        term = pattern.key.get(name)
        text = term if isinstance(term, str) else getattr(term, "text", getattr(term, "low", ""))
        given = fields(text or "")
        for piece in pieces(template):
            if isinstance(piece, Slot) and piece.field not in given:
                return piece
    return None


def _orders(pattern: Pattern, entity: Entity, key: Key) -> bool:
    """Whether the pattern rests on the order of the sort key."""
    if entity.name not in (pattern.entity, *pattern.also) or pattern.index != key.on:
        return False
    ranged = any(not isinstance(term, str | Begins) for term in pattern.key.values())
    return ranged or pattern.descending or pattern.order is not None or pattern.limit is not None


def _unordered(slot: Slot, known: Attribute | None, key: Key) -> str:
    if known is not None and (known.format or "").startswith("epoch"):
        # Seconds have ten digits from 2001 to 2286, milliseconds three more.
        return ""
    if slot.field in key.unordered:
        return "in a form whose byte order is not the order of its values"
    if key.escaped or known is None or slot.spec:
        return ""
    if known.type == "N" and known.format is None:
        return "without a fixed width: 10 comes before 9"
    if known.format == "iso":
        return "in several forms: 10:00:00.5Z comes before 10:00:00Z, and zones may be mixed"
    return ""


RULE = Rule(
    code="K03",
    severity="warning",
    title="The order of a key is not the order of its values",
    why="Text keys are sorted by their bytes. Numbers sort as numbers only with a fixed width, "
    "times only in one precision and one zone.",
    fix="Pad numbers ({score:07.2f}), write times in UTC with one precision, or use a key "
    "attribute of type N.",
    bad="""
Table("Scores", pk="PK", sk="SK"),
Entity("Score", "Scores", keys=[Key("GAME#{game_id}", "SCORE#{points}")],
       attributes=[Attribute("game_id", format="ulid"), Attribute("points", "N")]),
Pattern("best", "query", "Score", key={"PK": "GAME#{game_id}"}, descending=True, limit=10),
""",
    good="""
Table("Scores", pk="PK", sk="SK"),
Entity("Score", "Scores", keys=[Key("GAME#{game_id}", "SCORE#{points:06d}")],
       attributes=[Attribute("game_id", format="ulid"), Attribute("points", "N")]),
Pattern("best", "query", "Score", key={"PK": "GAME#{game_id}"}, descending=True, limit=10),
""",
    check=check,
)
