"""S10: items of a deployed table that no entity owns."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Table
from tablewright.review.finding import Found
from tablewright.review.looks import kind_of_key, looks
from tablewright.review.rule import Rule
from tablewright.review.samples import wire_item
from tablewright.values import Item


def check(design: Design) -> Iterator[Found]:
    kinds: dict[tuple[str, str], int] = {}
    for sample in design.samples:
        table = design.table(sample.table)
        if sample.entity or not sample.deployed or table is None:
            continue
        kind = _kind(wire_item(sample, None), table)
        where = table.name, f"of {sample.deployed} {kind}"
        kinds[where] = kinds.get(where, 0) + 1
    for (name, text), number in kinds.items():
        items = "1 item" if number == 1 else f"{number} items"
        yield Found(finding.table(name), f"No entity owns {items} {text}.")


def _kind(item: Item, table: Table) -> str:
    """What an item looks like: its key, and what it says it is."""
    names = [each.name for each in (*table.partition, *table.sort)]
    keys = [f"{name} {_looks(item, name)}" for name in names]
    tag = table.discriminator
    if tag is not None:
        keys.append(f"{tag} {_type(item[tag].get('S', ''))}" if tag in item else f"no {tag}")
    return f"with {', '.join(keys)}"


def _type(text: str) -> str:
    return repr(text if text.isidentifier() else looks(text))


def _looks(item: Item, name: str) -> str:
    return kind_of_key(next(iter(item[name].values()))) if name in item else "absent"


RULE = Rule(
    code="S10",
    severity="warning",
    title="Items that no entity owns",
    why="No pattern writes, changes or deletes such items. They cost storage, come back in queries "
    "of their partition, and nobody knows whether somebody still needs them.",
    fix="Declare their entity, or find out who writes them, and delete them.",
    bad="""
Table("App", pk="PK", discriminator="type"),
Entity("User", "App", keys=[Key("USER#{id}")], attributes=[Attribute("id")]),
Sample("", {"PK": "LEGACY#17", "type": "Legacy"}, deployed="prod-App", table="App"),
""",
    good="""
Table("App", pk="PK", discriminator="type"),
Entity("User", "App", keys=[Key("USER#{id}")], attributes=[Attribute("id")]),
Sample("User", {"PK": "USER#17", "type": "User", "id": "17"}, deployed="prod-App"),
""",
    check=check,
)
