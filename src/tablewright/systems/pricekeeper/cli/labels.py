"""``label ...``: the names that callers know, and the models behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cyclopts import App

from tablewright.service.commands import Answer, Desk, Line, Styled, columns
from tablewright.service.typed import checked
from tablewright.systems.pricekeeper.cli.given import Keeper
from tablewright.systems.pricekeeper.cli.words import RegionClass, example

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.config import Label

app = App(name="label", help="Labels: the names that callers know, and the models behind them.")


@app.command(help_epilogue=example("label put economy --model amazon.nova-lite-v1:0"))
async def put(
    keeper: Keeper,
    desk: Desk,
    /,
    label: str,
    *,
    model: str,
    region_class: RegionClass | None = None,
    tier: str = "",
    family: str = "",
    description: str = "",
) -> Answer:
    """Set the model behind a label. What was recorded before keeps the model that it names.

    Parameters
    ----------
    label
        The label: small letters, digits, - and _.
    model
        The id of the model, or of an inference profile.
    region_class
        Where it runs, which decides its price; else as the id of a profile says.
    tier
        What kind of a model it is, for people: premium, fast ...
    family
        The family that it belongs to.
    description
        What it is good for.
    """
    from tablewright.systems.pricekeeper.api.settings import label_out
    from tablewright.systems.pricekeeper.bodies import LabelIn

    values = {
        "bedrock_model_id": model,
        "region_class": region_class,
        "tier": tier,
        "family": family,
        "description": description,
    }
    saved = await keeper.labels.put(label, checked(LabelIn, values), desk.by)
    what = "Created the label" if saved.created else "Set the label"
    line = f"{what} {label}: {saved.label.bedrock_model_id}, {saved.label.region_class}."
    priced = await _is_priced(keeper, saved.label)
    told = label_out(saved.label, priced=priced).model_dump(mode="json")
    return Answer([line] if priced else [line, _no_price(saved.label.bedrock_model_id)], told)


async def _is_priced(keeper: Keeper, label: Label) -> bool:
    """Tell whether a label's model has a price; the table that ships is stored by the service."""
    from tablewright.systems.pricekeeper.rules.bundled import bundled_prices
    from tablewright.systems.pricekeeper.rules.models import model_of

    model_id, where = model_of(label.bedrock_model_id), (label.region_class, "standard")
    shipped = any(
        row.bedrock_model_id == model_id and (row.region_class, row.service_tier) == where
        for row in bundled_prices()
    )
    return shipped or await keeper.prices.of_label(label) is not None


def _no_price(model_id: str) -> Line:
    return Styled(
        f"Warning: {model_id} has no price. Unless apps report what they pay, usage counts as "
        "$0.00 and limits on the label have no effect. Set a price with `prices import`, or have "
        "an organisation block such labels with `org put ORG --set unpriced=block`.",
        "yellow",
    )


@app.command(name="list", help_epilogue=example("label list"))
async def list_labels(keeper: Keeper, /) -> Answer:
    """List all labels with their models."""
    from tablewright.systems.pricekeeper.api.settings import label_out
    from tablewright.systems.pricekeeper.reads import labels

    found = [
        label_out(each, priced=await _is_priced(keeper, each))
        async for each in keeper.db.iterate(labels())
    ]
    data = [each.model_dump(mode="json") for each in found]
    if not found:
        return Answer(["There is no label yet."], data)
    rows = [
        (
            each.label,
            each.bedrock_model_id,
            each.region_class,
            "yes" if each.priced else "no",
            each.tier,
            each.description,
        )
        for each in found
    ]
    return Answer(columns(("label", "model", "class", "priced", "tier", "description"), rows), data)
