"""P15: a pattern that needs attributes nobody stores."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.templates import fields


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        entity = design.entity(pattern.entity)
        table = design.table_of(pattern)
        if entity is None or entity.open or pattern.reads in (None, "*"):
            continue
        held = {each.name for each in entity.attributes}
        held |= {name for key in entity.keys for each in key.templates for name in fields(each)}
        for _, side in () if table is None else table.sides():
            held |= {each.name for each in (*side.partition, *side.sort)}
        held |= set() if table is None else {table.discriminator or "", table.ttl or ""}
        missing = [name for name in pattern.reads or () if name not in held]
        if missing:
            yield Found(
                finding.pattern(pattern.name),
                f"It returns {', '.join(missing)} of {entity.name}, which is not stored."
                + _hash(missing, held),
            )


def _hash(missing: list[str], held: set[str]) -> str:
    hashes = [name for name in sorted(held) if any(f"{each}_hash" == name for each in missing)]
    return f" Only {', '.join(hashes)} is, and a hash cannot be read back." if hashes else ""


RULE = Rule(
    code="P15",
    severity="error",
    title="A pattern returns what is not stored",
    why="A read gives back what a write has stored, and nothing else. A hash does not give back "
    "what it was made from.",
    fix="Store it (a secret: encrypted, and only as long as it has to be shown), or drop it.",
    bad="""
Table("Clients", pk="id"),
Entity("Client", "Clients", keys=[Key("{id}")], attributes=[Attribute("secret_hash")]),
Pattern("show_secret", "get", "Client", key={"id": "{id}"}, reads=["secret"]),
""",
    good="""
Table("Clients", pk="id"),
Entity("Client", "Clients", keys=[Key("{id}")], attributes=[Attribute("secret_ciphertext", "B")]),
Pattern("show_secret", "get", "Client", key={"id": "{id}"}, reads=["secret_ciphertext"]),
""",
    check=check,
)
