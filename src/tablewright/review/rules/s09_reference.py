"""S09: a sample that refers to something which is not there."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.samples import items_of, values_of


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        for each in entity.attributes:
            name, _, field = (each.refers or "").partition(".")
            target = design.entity(name)
            if target is None or not field:
                continue
            table = design.table(target.table)
            there = set()
            for item in items_of(design, target):
                known = values_of(item, target, table)
                if field in known:
                    there.add(str(known[field]))
            for item in items_of(design, entity):
                value = item.get(each.name, {}).get("S")
                if there and value is not None and value not in there:
                    yield Found(
                        finding.sample(entity.name),
                        f"{each.name} is {value!r}, but no {name} among the samples has that "
                        f"{field}; there is {', '.join(sorted(there)[:3])}.",
                    )


RULE = Rule(
    code="S09",
    severity="warning",
    title="A sample refers to nothing",
    why="Samples that belong together show how the entities do. An id of another form usually "
    "means that one attribute has two meanings.",
    fix="Let it refer to a sample, or give the other meaning a name of its own.",
    bad="""
Entity("Payment", "App", attributes=[Attribute("payment_id")]),
Entity("Team", "App", attributes=[Attribute("payment_id", refers="Payment.payment_id")]),
Sample("Payment", {"payment_id": "01BX5ZZKBKACTAV9WEVGEMMVRZ"}),
Sample("Team", {"payment_id": "pay_29QQoUBi66xm2f"}),
""",
    good="""
Entity("Payment", "App", attributes=[Attribute("payment_id")]),
Entity("Team", "App", attributes=[Attribute("payment_id", refers="Payment.payment_id")]),
Sample("Payment", {"payment_id": "01BX5ZZKBKACTAV9WEVGEMMVRZ"}),
Sample("Team", {"payment_id": "01BX5ZZKBKACTAV9WEVGEMMVRZ"}),
""",
    check=check,
)
