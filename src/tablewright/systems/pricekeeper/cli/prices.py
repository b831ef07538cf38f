"""``prices ...``: what models cost, and since when."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import orjson
from cyclopts import App

from tablewright.service.commands import Answer, Desk, Line, Styled, columns
from tablewright.service.problems import FieldError, Problem, invalid, not_found
from tablewright.service.typed import field_errors, file_name, moment, number
from tablewright.systems.pricekeeper.cli import reading
from tablewright.systems.pricekeeper.cli.given import Keeper
from tablewright.systems.pricekeeper.cli.words import (
    InFile,
    RegionClass,
    ServiceTier,
    example,
    usd,
)

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.bodies import (
        ImportedPrice,
        ImportOut,
        PendingPriceOut,
        PriceOut,
    )
    from tablewright.systems.pricekeeper.config import PendingPrice

app = App(name="prices", help="Prices of models: what they cost, and since when.")

_HEAD = ("model", "class", "tier", "from", "input", "output", "cache read", "cache write", "source")
_RIGHT = {"input", "output", "cache read", "cache write"}


@app.command(help_epilogue=example("prices refresh"))
async def refresh(keeper: Keeper, desk: Desk, /) -> Answer:
    """Look at the source of prices: the table that ships with the program, or AWS's Price List.

    Which of them, the setting prices_source says: TABLEWRIGHT_PRICEKEEPER_PRICES_SOURCE=aws.
    """
    desk.tick("reading the price list")
    return _imported(await keeper.prices.refresh(desk.by))


def _imported(done: ImportOut) -> Answer:
    lines: list[Line] = [
        f"{number(done.saved)} prices saved, {number(done.unchanged)} unchanged, "
        f"{number(done.pending)} wait for approval."
    ]
    lines += [Styled(f"  not used: {each}", "yellow") for each in done.skipped[:20]]
    if len(done.skipped) > 20:
        lines.append(f"  and {number(len(done.skipped) - 20)} more; --json shows all")
    return Answer(lines, done.model_dump(mode="json"))


@app.command(name="import", help_epilogue=example("prices import negotiated.csv"))
async def import_prices(keeper: Keeper, desk: Desk, /, file: InFile) -> Answer:
    """Set many prices by hand; what cannot be set is told, the rest is, and the exit code is 1.

    Rows have bedrock_model_id, region_class, service_tier, effective_from, and prices in
    millionths of a dollar for a million tokens: input_price_usd_micros_per_1m and so on.

    Parameters
    ----------
    file
        CSV with a head, JSON lines, or a JSON document as the REST API takes it; - is standard
        input.
    """
    from tablewright.systems.pricekeeper.bodies import ImportOut
    from tablewright.systems.pricekeeper.bodies.settings import MAX_IMPORT

    rows = _rows(reading.whole(file, desk), file_name(file))
    done = ImportOut(saved=0, unchanged=0)
    for start in range(0, len(rows), MAX_IMPORT):
        some = await keeper.prices.import_rows(rows[start : start + MAX_IMPORT], desk.by)
        done = ImportOut(
            saved=done.saved + some.saved,
            unchanged=done.unchanged + some.unchanged,
            skipped=[*done.skipped, *some.skipped],
        )
    answer = _imported(done)
    return Answer(answer.lines, answer.data, ok=not done.skipped)


def _rows(raw: bytes, name: str) -> list[ImportedPrice]:
    """The rows of an import; all of them are good, or a problem says which are not."""
    from pydantic import ValidationError

    from tablewright.systems.pricekeeper.bodies import ImportedPrice

    found: list[ImportedPrice] = []
    errors: list[FieldError] = []
    for place, values in enumerate(_values(raw, name), 1):
        try:
            found.append(ImportedPrice.model_validate(values))
        except ValidationError as error:
            errors += [
                FieldError(f"row {place}, {each.field}", each.message)
                for each in field_errors(error)
            ]
    if errors:
        raise invalid(*errors[:50])
    if not found:
        raise Problem(400, "UNUSABLE_FILE", f"{name} has no price in it.")
    return found


def _values(raw: bytes, name: str) -> Sequence[object]:
    """Rows of a document, of JSON lines or of CSV; the first character tells which."""
    text = raw.removeprefix(b"\xef\xbb\xbf").strip()
    if not text.startswith((b"{", b"[")):
        return _table_of(text, name)
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return _lines_of(text, name)
    listed = found.get("prices", [found]) if isinstance(found, dict) else found
    return listed if isinstance(listed, list) else [listed]


def _table_of(text: bytes, name: str) -> list[object]:
    table = csv.DictReader(io.StringIO(text.decode(errors="replace")))
    try:
        return [_cells(row) for row in table]
    except csv.Error as error:
        detail = f"{name} is no CSV: line {table.line_num}: {error}."
        raise Problem(400, "UNUSABLE_FILE", detail) from None


def _lines_of(text: bytes, name: str) -> list[object]:
    try:
        return [orjson.loads(line) for line in text.splitlines() if line.strip()]
    except orjson.JSONDecodeError as error:
        detail = f"{name} is neither JSON nor JSON lines: {error}."
        raise Problem(400, "UNUSABLE_FILE", detail) from None


def _cells(row: Mapping[str | None, object]) -> dict[str, object]:
    """What stands in cells: numbers as such, and nothing as absent.

    Cells beyond the head have no name; they are a list, which no price has a place for.
    """
    return {str(name): _cell(cell) for name, cell in row.items() if cell}


def _cell(cell: object) -> object:
    """A number where it is one; what it should be is for the body to say."""
    if not isinstance(cell, str):
        return cell
    return int(cell) if cell.isascii() and cell.isdigit() and len(cell) < 20 else cell


@app.command(name="list", help_epilogue=example("prices list amazon.nova-lite-v1:0"))
async def list_prices(keeper: Keeper, /, model: str | None = None) -> Answer:
    """List what models cost now, or all prices that one model has had; and what waits.

    Parameters
    ----------
    model
        The id of a model; else all that have a label, or ship with a price.
    """
    from tablewright.systems.pricekeeper.api.settings import pending_out, price_out
    from tablewright.systems.pricekeeper.rules.ids import checked_model_id

    if model is None:
        found = [price for each in await keeper.prices.models() for price in each.prices]
    else:
        found = list((await keeper.prices.timeline(checked_model_id(model))).prices)[::-1]
    waiting = await keeper.prices.changes.waiting()
    prices = [price_out(each) for each in found]
    pending = [pending_out(each) for each in waiting if model in (None, each.bedrock_model_id)]
    data = {
        "prices": [each.model_dump(mode="json") for each in prices],
        "pending": [each.model_dump(mode="json") for each in pending],
    }
    return Answer(_listed(prices, pending), data)


def _listed(prices: Sequence[PriceOut], pending: Sequence[PendingPriceOut]) -> list[Line]:
    if not prices and not pending:
        return ["There is no price yet: tablewright pricekeeper prices refresh"]
    lines: list[Line] = ["US dollars for a million tokens:"]
    lines += columns(_HEAD, [*map(_row, prices)], _RIGHT)
    if pending:
        lines += [Styled("These wait for approval (prices approve, prices reject):", "yellow")]
        lines += columns(_HEAD, [*map(_row, pending)], _RIGHT)
    return lines


def _row(price: PriceOut) -> tuple[str, ...]:
    return (
        price.bedrock_model_id,
        price.region_class,
        price.service_tier,
        moment(price.effective_from),
        usd(price.input_price_usd_micros_per_1m),
        usd(price.output_price_usd_micros_per_1m),
        usd(price.cache_read_price_usd_micros_per_1m),
        usd(price.cache_write_price_usd_micros_per_1m),
        price.source,
    )


@app.command(help_epilogue=example("prices approve amazon.nova-lite-v1:0"))
async def approve(
    keeper: Keeper,
    desk: Desk,
    /,
    model: str,
    *,
    region_class: RegionClass | None = None,
    service_tier: ServiceTier | None = None,
) -> Answer:
    """Let a price count that waits for approval.

    Parameters
    ----------
    model
        The id of the model.
    region_class
        Which of its prices, if several wait.
    service_tier
        Which of its prices, if several wait.
    """
    return await _decide(keeper, desk, "approve", model, region_class, service_tier)


@app.command(help_epilogue=example("prices reject amazon.nova-lite-v1:0"))
async def reject(
    keeper: Keeper,
    desk: Desk,
    /,
    model: str,
    *,
    region_class: RegionClass | None = None,
    service_tier: ServiceTier | None = None,
) -> Answer:
    """Say that a price is wrong that waits for approval; it is not offered again.

    Parameters
    ----------
    model
        The id of the model.
    region_class
        Which of its prices, if several wait.
    service_tier
        Which of its prices, if several wait.
    """
    return await _decide(keeper, desk, "reject", model, region_class, service_tier)


async def _decide(
    keeper: Keeper,
    desk: Desk,
    decision: Literal["approve", "reject"],
    model: str,
    region_class: RegionClass | None,
    service_tier: ServiceTier | None,
) -> Answer:
    from tablewright.systems.pricekeeper.api.settings import pending_out, price_out
    from tablewright.systems.pricekeeper.service.price_changes import PriceKey

    meant = await _waiting(keeper, model, region_class, service_tier)
    key = PriceKey(meant.bedrock_model_id, meant.region_class, meant.service_tier)
    which = f"{model}, {meant.region_class}, {meant.service_tier}"
    if decision == "approve":
        price = await keeper.prices.changes.approve(key, desk.by)
        since = moment(price.effective_from)
        return Answer([f"Approved: {which}, from {since} on."], _dumped(price_out(price)))
    await keeper.prices.changes.reject(key, desk.by)
    return Answer([f"Rejected: {which}."], _dumped(pending_out(meant)))


def _dumped(price: PriceOut) -> dict[str, object]:
    return price.model_dump(mode="json")


async def _waiting(
    keeper: Keeper,
    model: str,
    region_class: RegionClass | None,
    service_tier: ServiceTier | None,
) -> PendingPrice:
    """The one price that is meant."""
    found = [
        each
        for each in await keeper.prices.changes.waiting()
        if each.bedrock_model_id == model
        and region_class in (None, each.region_class)
        and service_tier in (None, each.service_tier)
    ]
    if not found:
        raise not_found("price that waits for approval")
    if len(found) > 1:
        listed = ", ".join(f"{each.region_class} {each.service_tier}" for each in found)
        hint = "Say which with --region-class and --service-tier."
        detail = f"{len(found)} prices of {model} wait: {listed}."
        raise Problem(409, "AMBIGUOUS", detail, extra={"hint": hint})
    return found[0]
