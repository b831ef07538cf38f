"""What `tablewright import` found, in lines for people and as JSON."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tablewright.adopt.drafts import EntityDraft, Stray, TableDraft
from tablewright.adopt.proposing import Adopted, Proposal
from tablewright.cli.place_options import Place

#: Items without an entity that are listed on a terminal; JSON has all of them.
_LISTED = 10


def lines(proposal: Proposal, out: Path | None) -> Iterator[str]:
    for adopted in proposal.tables:
        yield from _table(adopted)
    model = proposal.model
    counts = (
        f"{len(model.tables)} tables, {len(model.entities)} entities, "
        f"{len(model.patterns)} patterns"
    )
    yield f"wrote {out}: {counts}" if out is not None else counts


def _table(adopted: Adopted) -> Iterator[str]:
    draft, sampled = adopted.draft, adopted.sampled
    read = f"{len(sampled.items)} items" if sampled.items else "no items"
    told = f"told apart by {draft.discriminator}" if draft.discriminator else "told apart by keys"
    more = (
        "all there are"
        if sampled.whole
        else f"of about {max(sampled.state.items, len(sampled.items))}"
    )
    yield f"{draft.state.name}: {read} ({more}), {told}"
    width = max((len(each.name) for each in draft.entities), default=0)
    for entity in draft.entities:
        keys = "  ".join(_keys(draft, entity))
        yield f"  {entity.name:{width}}  {_sure(entity, adopted.exact[entity.name])}  {keys}"
        if entity.undeclared:
            yield f"  {'':{width}}  kept as it is: {', '.join(entity.undeclared)}"
    if adopted.strays:
        yield f"  {len(adopted.strays)} items are not read back exactly:"
        for stray in adopted.strays[:_LISTED]:
            yield f"    {_key(draft, stray)}: {stray.reason}"
        if len(adopted.strays) > _LISTED:
            yield f"    and {len(adopted.strays) - _LISTED} more; --json lists all"
    yield ""


def _sure(entity: EntityDraft, exact: int) -> str:
    total = len(entity.items)
    if not total:
        return "no samples"
    return f"{exact} of {total} exact ({100 * exact // total} %)"


def _keys(draft: TableDraft, entity: EntityDraft) -> list[str]:
    return [entity.text(each.name) for each in draft.state.key]


def _key(draft: TableDraft, stray: Stray) -> str:
    return " / ".join(
        str(next(iter(stray.item.get(each.name, {"": "?"}).values()))) for each in draft.state.key
    )


def next_steps(out: Path | None, place: Place) -> Iterator[str]:
    if out is None:
        return
    module = f"{_module(out)}:model"
    where = _where(place)
    yield ""
    yield "Next:"
    steps = {f"tablewright explore {module}{where}": "look at it in a browser"}
    if where:
        steps[f"tablewright tables verify {module}{where}"] = "compare it with the tables"
    steps[f"tablewright plan {module}"] = f"after you have added rates to {out}"
    width = max(map(len, steps))
    for command, why in steps.items():
        yield f"  {command:{width}}  {why}"


def _module(out: Path) -> str:
    """How Python calls the file from the folder where the commands are run."""
    relative = Path(os.path.relpath(out))
    return ".".join(part for part in relative.with_suffix("").parts if part != "..")


def _where(place: Place) -> str:
    words = {
        "--data": place.data,
        "--endpoint": place.endpoint,
        "--region": place.region,
        "--profile": place.profile,
        "--prefix": place.prefix,
        "--env": place.env,
    }
    given = "".join(f" {option} {value}" for option, value in words.items() if value)
    return f"{' --aws' if place.aws else ''}{given}"


# --- JSON ----------------------------------------------------------------------------------------


def as_json(proposal: Proposal, out: Path | None) -> dict[str, object]:
    return {
        "model": proposal.name,
        "file": None if out is None else str(out),
        **({"source": proposal.source} if out is None else {}),
        "tables": [_table_json(each) for each in proposal.tables],
        "patterns": list(proposal.model.patterns),
    }


def _table_json(adopted: Adopted) -> dict[str, Any]:
    draft, sampled = adopted.draft, adopted.sampled
    return {
        "table": draft.state.name,
        "physical": draft.state.physical,
        "items_read": len(sampled.items),
        "read_units": sampled.read_units,
        "whole": sampled.whole,
        "discriminator": draft.discriminator,
        "delimiter": draft.delimiter,
        "entities": [_entity_json(draft, each, adopted) for each in draft.entities],
        "strays": [
            {
                "key": {each.name: stray.item.get(each.name) for each in draft.state.key},
                "reason": stray.reason,
            }
            for stray in adopted.strays
        ],
    }


def _entity_json(draft: TableDraft, entity: EntityDraft, adopted: Adopted) -> dict[str, Any]:
    exact, total = adopted.exact[entity.name], len(entity.items)
    return {
        "entity": entity.name,
        "type": entity.type or None,
        "key": _keys(draft, entity),
        "indexes": list(entity.indexes),
        "fields": {field.name: field.annotation for field in entity.fields},
        "undeclared": list(entity.undeclared),
        "sampled": total,
        "exact": exact,
        "share": exact / total if total else None,
    }
