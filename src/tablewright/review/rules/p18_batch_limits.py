"""P18: batches that are too big, or lose what was not processed."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Pattern
from tablewright.review.finding import Found
from tablewright.review.limits import MAX_BATCH_GET, MAX_BATCH_WRITE, MB
from tablewright.review.loads import size_of
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        if pattern.kind not in ("batch_get", "batch_write"):
            continue
        place = finding.pattern(pattern.name)
        most = MAX_BATCH_GET if pattern.kind == "batch_get" else MAX_BATCH_WRITE
        number = _number(pattern)
        if number is not None and number > most and pattern.paged is not True:
            yield Found(place, f"It has {number:g} items; {most} is the most.", severity="error")
        if pattern.retries_unprocessed is False:
            what = "UnprocessedKeys" if pattern.kind == "batch_get" else "UnprocessedItems"
            yield Found(place, f"It does nothing with {what}: what is named there is lost.")
        size = size_of(design, pattern)
        if pattern.kind == "batch_get" and number and size and number * size > 16 * MB:
            yield Found(
                place, f"{number:g} items of {size:,} bytes are more than the 16 MB of one answer."
            )


def _number(pattern: Pattern) -> float | None:
    if pattern.members:
        return sum(member.many or 1 for member in pattern.members)
    return pattern.expect


RULE = Rule(
    code="P18",
    severity="warning",
    title="A batch loses something",
    why="BatchGetItem takes at most 100 keys and returns at most 16 MB, BatchWriteItem takes 25 "
    "puts and deletes. Both may process only a part, under load as a matter of course, and name "
    "the rest in UnprocessedKeys or UnprocessedItems; no error says so.",
    fix="Send chunks, and what was not processed again, with growing pauses.",
    bad="""
Table("Totals", pk="PK"),
Entity("Shard", "Totals", keys=[Key("SH#{n}")]),
Pattern("shards", "batch_get", "Shard", expect=128, retries_unprocessed=False),
""",
    good="""
Table("Totals", pk="PK"),
Entity("Shard", "Totals", keys=[Key("SH#{n}")]),
Pattern("shards", "batch_get", "Shard", expect=128, retries_unprocessed=True, paged=True),
""",
    check=check,
)
