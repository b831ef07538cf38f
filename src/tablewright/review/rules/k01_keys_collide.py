"""K01: two entities of one table whose primary keys can be the same."""

from collections.abc import Iterator
from itertools import combinations

from tablewright.review import finding
from tablewright.review.automata import common_text
from tablewright.review.design import Design, Entity, Table
from tablewright.review.finding import Found
from tablewright.review.languages import automaton_of
from tablewright.review.reading import all_writes, calls
from tablewright.review.rule import Rule
from tablewright.review.templates import disjoint


def check(design: Design) -> Iterator[Found]:
    for table in design.tables:
        for first, second in combinations(design.entities_of(table.name), 2):
            text = collision(first, second, table)
            if text is None:
                continue
            shared = _shared(design, first, second)
            if shared is not False:
                yield Found(
                    finding.entity(second.name),
                    f"{first.name} and {second.name} can both have the key {text} in table "
                    f"{table.name}; the one that is written later replaces the other.",
                    severity="note" if shared is None else None,
                )


def _shared(design: Design, first: Entity, second: Entity) -> bool | None:
    """Whether the one can replace the other.

    False where both have the same key on purpose, as things of one namespace, and every put makes
    sure that nothing is there; None where the puts are not known.
    """
    one, two = first.primary, second.primary
    if one is None or two is None or one.templates != two.templates:
        return True
    names = (first.name, second.name)
    puts = [w for _, w in all_writes(design) if w.kind == "put" and w.entity in names]
    if not puts:
        return True
    if any(put.opaque for put in puts):
        return None
    return not all(calls(put, "attribute_not_exists") for put in puts)


def collision(first: Entity, second: Entity, table: Table) -> str | None:
    """A key that both can have, as text, or None."""
    one, two = first.primary, second.primary
    if one is None or two is None:
        return None
    ours, theirs = (*one.partition, *one.sort), (*two.partition, *two.sort)
    if len(ours) != len(theirs) or not ours or any(map(disjoint, ours, theirs)):
        return None
    texts = []
    for left, right in zip(ours, theirs, strict=True):
        a = automaton_of(left, first, table.delimiter, key=one)
        b = automaton_of(right, second, table.delimiter, key=two)
        text = None if a is None or b is None else common_text(a, b)
        if text is None:
            return None
        texts.append(text)
    return " / ".join(map(repr, texts))


RULE = Rule(
    code="K01",
    severity="error",
    title="Two entities can have the same key",
    why="A table holds one item for each primary key. PutItem replaces whatever is there, of "
    "whichever kind it is.",
    fix="Begin one of the keys with a text of its own, such as ORDER# and PROFILE#.",
    bad="""
Table("App", pk="PK", sk="SK"),
Entity("Note", "App", keys=[Key("USER#{user_id}", "{title}")]),
Entity("Profile", "App", keys=[Key("USER#{user_id}", "PROFILE")]),
""",
    good="""
Table("App", pk="PK", sk="SK"),
Entity("Note", "App", keys=[Key("USER#{user_id}", "NOTE#{title}")]),
Entity("Profile", "App", keys=[Key("USER#{user_id}", "PROFILE")]),
""",
    check=check,
)
