"""W06: a transaction with too many items, or with one of them twice."""

from collections import Counter
from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Pattern
from tablewright.review.finding import Found
from tablewright.review.limits import MAX_TRANSACTION
from tablewright.review.rule import Rule
from tablewright.review.templates import fields


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        if pattern.kind != "transaction":
            continue
        place = finding.pattern(pattern.name)
        number = sum(member.many or 1 for member in pattern.members)
        if number > MAX_TRANSACTION:
            yield Found(place, f"It has {number:g} items; {MAX_TRANSACTION} is the most.")
        for name in _repeated(design, pattern):
            yield Found(place, f"It writes the same {name} more than once.")


def _repeated(design: Design, pattern: Pattern) -> Iterator[str]:
    keys = Counter(
        (member.entity, tuple(sorted((member.called_key or member.key).items(), key=str)))
        for member in pattern.members
        if member.key and all(isinstance(term, str) for term in member.key.values())
    )
    yield from (name or "item" for (name, _), number in keys.items() if number > 1)
    for member in pattern.members:
        if member.many is None or member.many < 2 or member.opaque:
            continue
        entity = design.entity(member.entity)
        key = None if entity is None else entity.primary
        held = {name for each in (key.templates if key else ()) for name in fields(each)}
        if not held.intersection(member.varies):
            yield member.entity or "item"


RULE = Rule(
    code="W06",
    severity="error",
    title="A transaction that is refused",
    why='A transaction has at most 100 items and 4 MB, and no item twice: "Transaction request '
    'cannot include multiple operations on one item".',
    fix="Let each member be another item; split what is bigger, and make the parts repeatable.",
    bad="""
Table("App", pk="PK"),
Entity("Member", "App", keys=[Key("MEMBER#{member_id}")]),
Pattern("register", "transaction", members=[Pattern("", "put", "Member", many=4, varies=())]),
""",
    good="""
Table("App", pk="PK"),
Entity("Member", "App", keys=[Key("MEMBER#{member_id}")]),
Pattern("register", "transaction",
        members=[Pattern("", "put", "Member", many=4, varies=["member_id"])]),
""",
    check=check,
)
