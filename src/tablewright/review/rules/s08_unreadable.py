"""S08: a sample that is no item."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Sample
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.samples import Unreadable, strict, wire_item
from tablewright.values import InvalidValue, normalize_item


def check(design: Design) -> Iterator[Found]:
    for sample in design.samples:
        problem = _problem(design, sample)
        if problem:
            yield Found(finding.sample(sample.entity), f"The sample cannot be stored: {problem}.")


def _problem(design: Design, sample: Sample) -> str:
    try:
        if isinstance(sample.item, str):
            strict(sample.item)
        normalize_item(wire_item(sample, design.entity(sample.entity)))
    except Unreadable as error:
        return str(error)
    except InvalidValue as error:
        return str(error).rstrip(".")
    return ""


RULE = Rule(
    code="S08",
    severity="error",
    title="A sample is no item",
    why="JSON has no comments and no trailing commas; DynamoDB has no empty sets, and numbers of "
    "at most 38 digits.",
    fix="Make it valid, so that it can be loaded.",
    bad="""
Entity("User", "App"),
Sample("User", '{"ttl": 1735689600  // deleted after the event\\n}'),
""",
    good="""
Entity("User", "App"),
Sample("User", '{"ttl": 1735689600}'),
""",
    check=check,
)
