"""X02: a credential that can be read, or that is a key."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Attribute, Design, Entity
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.templates import fields

_DECLARE = (
    "Store a hash or encrypt it. State what is stored, so that the review knows: "
    'Annotated[str, Secret("hash")] or Secret("encrypted").'
)


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        for attribute in entity.attributes:
            message = _wrong(entity, attribute)
            if message is not None:
                yield Found(
                    finding.attribute(entity.name, attribute.name),
                    message,
                    fix=_DECLARE if attribute.deduced else "",
                    severity="warning" if attribute.deduced else None,
                )


def _wrong(entity: Entity, attribute: Attribute) -> str | None:
    if attribute.secret == "clear":
        where = "is a key" if _in_key(entity, attribute.name) else "is stored"
        if attribute.deduced:
            return f"{attribute.name} is called like a credential, and {where} as a plain text."
        return f"The credential {attribute.name} {where} in clear: who can read it can use it."
    if attribute.secret == "encrypted" and _in_key(entity, attribute.name):
        return f"The credential {attribute.name} is a key, which cannot be encrypted anew."
    return None


def _in_key(entity: Entity, name: str) -> bool:
    return any(name in fields(template) for key in entity.keys for template in key.templates)


RULE = Rule(
    code="X02",
    severity="error",
    title="A credential in clear",
    why="Whoever may read a table, an index, a stream, a backup or an export sees its items, and "
    "keys stand in logs and metrics besides. A credential that is stored as it is used is theirs.",
    fix="Store a hash (SHA-256 for random tokens, a slow one for passwords) and look that up; what "
    "has to be given out again is encrypted with a key that is kept elsewhere.",
    bad="""
Table("Tokens", pk="PK"),
Entity("Token", "Tokens", keys=[Key("{token}")], attributes=[Attribute("token", secret="clear")]),
""",
    good="""
Table("Tokens", pk="PK"),
Entity("Token", "Tokens", keys=[Key("{hash}")], attributes=[Attribute("hash", secret="hash")]),
""",
    check=check,
)
