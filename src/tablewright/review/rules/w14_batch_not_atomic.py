"""W14: a batch that is called atomic."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        if pattern.atomic and pattern.kind != "transaction" and _several(pattern):
            yield Found(
                finding.pattern(pattern.name),
                f"It is called atomic, but a {pattern.kind.replace('_', ' ')} is not: some of its "
                "writes can happen without the others.",
            )


def _several(pattern: object) -> bool:
    kind = getattr(pattern, "kind", "")
    return kind == "batch_write" or (getattr(pattern, "many", None) or 1) > 1


RULE = Rule(
    code="W14",
    severity="error",
    title="A batch is not atomic",
    why="BatchWriteItem is up to 25 separate puts and deletes in one request. Each may succeed or "
    "be returned as unprocessed on its own. Only TransactWriteItems is all or nothing.",
    fix="Use a transaction, of at most 100 items.",
    bad="""
Table("App", pk="PK"),
Entity("Score", "App", keys=[Key("SCORE#{id}")]),
Pattern("save", "batch_write", members=[Pattern("", "put", "Score", many=9, varies=["id"])],
        atomic=True),
""",
    good="""
Table("App", pk="PK"),
Entity("Score", "App", keys=[Key("SCORE#{id}")]),
Pattern("save", "transaction", members=[Pattern("", "put", "Score", many=9, varies=["id"])],
        atomic=True),
""",
    check=check,
)
