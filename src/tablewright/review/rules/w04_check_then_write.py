"""W04: uniqueness by reading first and writing then."""

from collections.abc import Iterator, Sequence

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.reading import all_writes
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    names = {pattern.name: pattern for pattern in design.patterns}
    for pattern, write in all_writes(design):
        checked_by = write.checked_by or pattern.checked_by
        if checked_by is None or _locked(design, write.entity, write.unique):
            continue
        reader = names.get(checked_by)
        behind = f", on {reader.index}, which is behind" if reader and reader.index else ""
        what = ", ".join(write.unique) or "the value"
        if write.deduced:
            yield Found(
                finding.pattern(pattern.name),
                f"{checked_by} expects one {write.entity} with the same {what}, but nothing keeps "
                f"{what} unique: {pattern.name} can write a second one.",
                fix=f"Declare it: {_declaration(write.unique)}. If several may have the same "
                f"{what}, read them with @query.",
                severity="warning",
            )
            continue
        yield Found(
            finding.pattern(pattern.name),
            f"Whether {what} is free is asked before by {checked_by}{behind}; two callers at once "
            "both find it free, and both write.",
        )


def _declaration(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"{names[0]}: Annotated[str, Unique(...)]"
    return f"unique=[Unique(..., fields=({', '.join(map(repr, names))}))]"


def _locked(design: Design, name: str | None, fields: object) -> bool:
    entity = design.entity(name)
    wanted = set(fields) if isinstance(fields, list | tuple) else set()
    return entity is not None and any(
        each.lock is not None and wanted <= set(each.names) for each in entity.unique
    )


RULE = Rule(
    code="W04",
    severity="error",
    title="Uniqueness by looking first",
    why="Between the look and the write anybody may write. No index helps: it is filled after the "
    "write, and holds duplicates without complaint.",
    fix="Write an item whose key is the value, in the same transaction, with "
    "attribute_not_exists(PK): it can be created only once.",
    bad="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK")]),
Entity("User", "App", keys=[Key("USER#{id}"), Key("EMAIL#{email}", on="GSI1")]),
Pattern("taken", "query", "User", index="GSI1", key={"GSI1PK": "EMAIL#{email}"}),
Pattern("sign_up", "put", "User", unique=["email"], checked_by="taken"),
""",
    good="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK")]),
Entity("User", "App", keys=[Key("USER#{id}"), Key("EMAIL#{email}", on="GSI1")],
       unique=[Unique("email", lock="EMAIL#{email}")]),
Pattern("taken", "query", "User", index="GSI1", key={"GSI1PK": "EMAIL#{email}"}),
Pattern("sign_up", "put", "User", unique=["email"], checked_by="taken"),
""",
    check=check,
)
