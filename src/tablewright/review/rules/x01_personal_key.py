"""X01: personal data as a part of a key."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Entity
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.templates import fields


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        personal = {each.name for each in entity.attributes if each.personal}
        for key in entity.keys:
            held = sorted(personal & _components(key.templates))
            if held:
                yield Found(
                    finding.key(entity.name, key.label),
                    f"{', '.join(held)} of a person stands in {' / '.join(key.templates)}.",
                )
        yield from _locks(entity, personal)


def _locks(entity: Entity, personal: set[str]) -> Iterator[Found]:
    """Items that keep a value unique have it in their key."""
    for unique in entity.unique:
        held = sorted(personal & _components((unique.lock or "",)))
        if held:
            yield Found(
                finding.entity(entity.name),
                f"{', '.join(held)} of a person stands in the lock {unique.lock}.",
            )


def _components(templates: tuple[str, ...]) -> set[str]:
    return {name for template in templates for name in fields(template)}


RULE = Rule(
    code="X01",
    severity="warning",
    title="Personal data in a key",
    why="Keys cannot be changed or encrypted by the application. They stand in logs, in metrics of "
    "the most used keys, in error messages and in every index, long after the item is gone.",
    fix="Put a keyed hash of the value into the key (HMAC with a secret of its own), and the value "
    "itself into an attribute that can be encrypted and erased.",
    bad="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK")]),
Entity("User", "App", keys=[Key("USER#{id}"), Key("EMAIL#{email}", on="GSI1")],
       attributes=[Attribute("id"), Attribute("email", personal=True)]),
""",
    good="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK")]),
Entity("User", "App", keys=[Key("USER#{id}"), Key("EMAIL#{email_hash}", on="GSI1")],
       attributes=[Attribute("id"), Attribute("email", personal=True), Attribute("email_hash")]),
""",
    check=check,
)
