"""T03: reads that return what has ended."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        if not pattern.reading or pattern.drops_expired:
            continue
        for name in (pattern.entity, *pattern.also):
            entity = design.entity(name)
            if entity is None or entity.ttl is None:
                continue
            named = f"{pattern.filter or ''} {' '.join(pattern.names.values())}"
            if entity.ttl not in named:
                yield Found(
                    finding.pattern(pattern.name),
                    f"It returns {entity.name} items whose {entity.ttl} has passed, until they are "
                    "deleted.",
                )


RULE = Rule(
    code="T03",
    severity="warning",
    title="Expired items are returned",
    why="DynamoDB deletes expired items typically within a few days. Until then they are read, "
    "queried, counted and updated like any others.",
    fix="Leave them out: FilterExpression #ttl > :now, or compare after a get. Conditions of "
    "writes have to look, too.",
    bad="""
Table("Tokens", pk="id", ttl="expires_at"),
Entity("Token", "Tokens", keys=[Key("{id}")], ttl="expires_at",
       attributes=[Attribute("expires_at", "N")]),
Pattern("token", "get", "Token", key={"id": "{id}"}),
""",
    good="""
Table("Tokens", pk="id", ttl="expires_at"),
Entity("Token", "Tokens", keys=[Key("{id}")], ttl="expires_at",
       attributes=[Attribute("expires_at", "N")]),
Pattern("token", "get", "Token", key={"id": "{id}"}, drops_expired=True),
""",
    check=check,
)
