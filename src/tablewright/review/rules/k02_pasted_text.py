"""K02: free text that is pasted into a key, and can hold the delimiter."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.automata import Automaton, only
from tablewright.review.design import Attribute, Design, Entity, Key
from tablewright.review.finding import Found
from tablewright.review.languages import expression_of
from tablewright.review.rule import Rule
from tablewright.review.shapes import Beyond, add_expression
from tablewright.review.templates import Slot, pieces


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        table = design.table(entity.table)
        delimiter = "#" if table is None else table.delimiter
        for key in entity.keys:
            if not key.escaped:
                yield from _in_key(entity, key, delimiter)


def _in_key(entity: Entity, key: Key, delimiter: str) -> Iterator[Found]:
    for template in key.templates:
        found = pieces(template)
        for position, piece in enumerate(found):
            more = any(isinstance(later, Slot) for later in found[position + 1 :])
            if not isinstance(piece, Slot) or not more:
                continue
            if may_hold(piece, entity.attribute(piece.field), delimiter):
                yield Found(
                    finding.key(entity.name, key.label),
                    f"Nothing keeps {delimiter!r} out of {piece.field}, which stands in "
                    f"{template!r} before other components: two different items can have the same "
                    "key, and a caller can forge somebody else's.",
                )


def may_hold(slot: Slot, known: Attribute | None, delimiter: str) -> bool:
    """Whether a value of the component can hold the delimiter."""
    if known is not None and known.free_text is False:
        return False
    expression = expression_of(slot, known)
    if expression is None:
        return known is None or known.type in ("S", "")
    automaton = Automaton()
    try:
        add_expression(automaton, expression)
    except Beyond:
        return False
    return any(
        (characters & only(delimiter)).example() is not None
        for steps in automaton.steps
        for characters, _ in steps
    )


RULE = Rule(
    code="K02",
    severity="warning",
    title="Free text stands in a key as it is",
    why="A composite key is one text. If a component can hold the delimiter, `a#b` + `c` and `a` + "
    "`b#c` become the same key, and ranges and prefixes match what they should not.",
    fix="Allow only ids, enumerations or a pattern without the delimiter, or escape the value.",
    bad="""
Table("Usage", pk="PK"),
Entity("Total", "Usage", keys=[Key("ORG#{org_id}#APP#{app_id}#LABEL#{label}")],
       attributes=[Attribute("org_id", format="uuid"), Attribute("app_id"), Attribute("label")]),
""",
    good="""
Table("Usage", pk="PK"),
Entity("Total", "Usage", keys=[Key("ORG#{org_id}#APP#{app_id}#LABEL#{label}")],
       attributes=[Attribute("org_id", format="uuid"),
                   Attribute("app_id", pattern="[a-z0-9-]+"), Attribute("label")]),
""",
    check=check,
)
