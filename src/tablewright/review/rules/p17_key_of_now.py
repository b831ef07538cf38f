"""P17: a read of the item of today, which something writes only later."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.reading import writes
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        if not pattern.now or pattern.kind not in ("get", "batch_get"):
            continue
        for writer in design.patterns:
            wrote = any(each.entity == pattern.entity for each in writes(writer))
            if wrote and writer.every is not None and pattern.entity is not None:
                yield Found(
                    finding.pattern(pattern.name),
                    f"It reads the {pattern.entity} whose {', '.join(pattern.now)} is now, but "
                    f"{writer.name} writes it every {_span(writer.every)}: until then there is "
                    "none.",
                )


def _span(seconds: float) -> str:
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            number = seconds / size
            return name if number == 1 else f"{number:g} {name}s"
    return f"{seconds:g} seconds"


RULE = Rule(
    code="P17",
    severity="warning",
    title="The item of now may not be written yet",
    why="GetItem finds exactly the key it is given. At the beginning of each period, and whenever "
    "the job that writes it is late, there is no such item.",
    fix="Query the latest one that is not after now: SK <= :now, descending, Limit 1.",
    bad="""
Table("Prices", pk="model", sk="day"),
Entity("Price", "Prices", keys=[Key("{model}", "{day}")]),
Pattern("price", "get", "Price", key={"model": "{model}", "day": "{today}"}, now=["day"]),
Pattern("refresh", "put", "Price", every=86400),
""",
    good="""
Table("Prices", pk="model", sk="day"),
Entity("Price", "Prices", keys=[Key("{model}", "{day}")]),
Pattern("price", "query", "Price", key={"model": "{model}", "day": Between(None, "{today}")},
        now=["day"], descending=True, limit=1),
Pattern("refresh", "put", "Price", every=86400),
""",
    check=check,
)
