"""U08: a flow that takes more requests than is said."""

from collections.abc import Iterator

from tablewright.review.design import Design, Flow, Pattern
from tablewright.review.finding import Found, Place
from tablewright.review.reading import parts
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    known = {each.name: each for each in design.patterns}
    for flow in design.flows:
        steps = [known[name] for name in flow.steps if name in known]
        unread = _unread(flow, steps)
        counted = len(flow.steps) + len(unread)
        if flow.stated_operations is not None and counted > flow.stated_operations:
            also = f"; it also has to read {', '.join(unread)}" if unread else ""
            yield Found(
                Place("flow", flow.name),
                f"It is said to take {flow.stated_operations:g} operations, and takes "
                f"{counted}{also}.{_batches(steps)}",
            )


def _unread(flow: Flow, steps: list[Pattern]) -> list[str]:
    """What it has to know, and no step reads."""
    read = {part.entity for step in steps for part in parts(step) if part.reading}
    return [each for each in flow.needs if each not in read]


def _batches(steps: list[Pattern]) -> str:
    """A batch is one request, but each of its items is a read that is billed."""
    found = [each for each in steps if each.kind == "batch_get" and each.expect]
    return "".join(f" {each.name} is {each.expect:g} reads in one request." for each in found)


RULE = Rule(
    code="U08",
    severity="note",
    title="Operations are miscounted",
    why="What a use needs to know has to be read by somebody: a configuration, a zone, a limit. A "
    "batch is one request, but is billed as one read for each of its items.",
    fix="Count what the flow really reads, or say which of it is cached and for how long.",
    bad="""
Table("App", pk="PK"),
Entity("Settings", "App", keys=[Key("SETTINGS")]),
Entity("Order", "App", keys=[Key("ORDER#{id}")]),
Pattern("order", "get", "Order", key={"PK": "ORDER#{id}"}),
Flow("show an order", steps=["order"], needs=["Settings"], stated_operations=1),
""",
    good="""
Table("App", pk="PK"),
Entity("Settings", "App", keys=[Key("SETTINGS")]),
Entity("Order", "App", keys=[Key("ORDER#{id}")]),
Pattern("order", "get", "Order", key={"PK": "ORDER#{id}"}),
Flow("show an order", steps=["order"], needs=["Settings"], stated_operations=2),
""",
    check=check,
)
