"""ImportTable: a new table, filled from files in a bucket folder.

The table is CREATING until all files have been read. A line that is not an item of this table is
counted and passed over, as the service does; an import whose bucket holds nothing fails, and
leaves no table behind.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import orjson

from tablewright.engine.backups import bucket, restores
from tablewright.engine.backups.transfers import IMPORTS, MAX_LISTED, shown
from tablewright.engine.errors import AwsError, in_use, validation
from tablewright.engine.handler import Request, Response
from tablewright.engine.items.changes import MAX_ITEM_SIZE
from tablewright.engine.schema import Body, Table
from tablewright.engine.storage.transaction import Transaction, Work
from tablewright.engine.tables import create
from tablewright.engine.tables.describe import counts
from tablewright.engine.tables.listing import remove_table
from tablewright.values import InvalidValue, Item, normalize_item

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


#: A line longer than this cannot be an item.
MAX_LINE = 4 * 1024 * 1024

_COPIED = (
    "ClientToken",
    "S3BucketSource",
    "InputFormat",
    "InputFormatOptions",
    "TableCreationParameters",
)
_BAD_LINE = (AwsError, InvalidValue, ValueError, KeyError, TypeError, AttributeError, csv.Error)


# --- operations --------------------------------------------------------------------------


def import_table(engine: Engine, request: Request, shape: object) -> Work:
    _check(request)
    source = request["S3BucketSource"]
    bucket.path_of(engine, source["S3Bucket"])
    bucket.check_prefix(source.get("S3KeyPrefix", ""))
    wanted = request["TableCreationParameters"]
    name = wanted["TableName"]
    create.check_create(wanted)

    def work(transaction: Transaction) -> Response:
        earlier = IMPORTS.repeated(engine, request)
        if earlier is not None:
            return {"ImportTableDescription": shown(earlier)}
        if engine.catalog.find(name) is not None:
            raise in_use(f"Table already exists: {name}")
        number = engine.catalog.next_number(transaction)
        table = restores.make_table(engine, transaction, name, wanted, {"import": number})
        body = {
            "ImportArn": IMPORTS.new_arn(transaction, table.arn, number),
            "ImportStatus": "IN_PROGRESS",
            "TableArn": table.arn,
            "TableId": table.body["TableId"],
            "StartTime": transaction.now,
            "InputCompressionType": request.get("InputCompressionType", "NONE"),
            "ErrorCount": 0,
            "ProcessedSizeBytes": 0,
            "ProcessedItemCount": 0,
            "ImportedItemCount": 0,
            **{field: request[field] for field in _COPIED if field in request},
            "request": request,
        }
        IMPORTS.save(transaction, body)
        transaction.after_commit(lambda: _add_job(engine, body))
        return {"ImportTableDescription": shown(body)}

    return work


def _check(request: Request) -> None:
    if request["InputFormat"] == "ION":
        raise validation("InputFormat ION is not offered by this engine; use DYNAMODB_JSON or CSV")
    if request.get("InputCompressionType") == "ZSTD":
        raise validation(
            "InputCompressionType ZSTD is not offered by this engine; use GZIP or NONE"
        )
    if request.get("InputFormatOptions") and request["InputFormat"] != "CSV":
        raise validation("InputFormatOptions can only be given if InputFormat is CSV")


def describe_import(engine: Engine, request: Request, shape: object) -> Response:
    return {"ImportTableDescription": shown(IMPORTS.find(engine, request["ImportArn"]))}


def list_imports(engine: Engine, request: Request, shape: object) -> Response:
    bodies, more = IMPORTS.page(engine, request, request.get("PageSize", MAX_LISTED))
    fields = (
        "ImportArn",
        "ImportStatus",
        "TableArn",
        "S3BucketSource",
        "InputFormat",
        "StartTime",
        "EndTime",
    )
    listed = [{field: body[field] for field in fields if field in body} for body in bodies]
    return {"ImportSummaryList": listed, **more}


# --- the job -----------------------------------------------------------------------------


def _add_job(engine: Engine, body: Body) -> None:
    engine.jobs.add(f"import {body['ImportArn']}", lambda: _import(engine, body))


def _import(engine: Engine, body: Body) -> Iterator[object]:
    done = dict(body)
    table = engine.catalog.find(body["TableCreationParameters"]["TableName"])
    if table is None or table.arn != body["TableArn"] or "import" not in table.body:
        done.update(ImportStatus="CANCELLED", EndTime=engine.clock.now())
        engine.store.run(lambda transaction: IMPORTS.save(transaction, done))
        return
    try:
        yield from restores.fill(engine, table, _items(engine, table, done))
        done["ImportStatus"] = "COMPLETED"
    except OSError as error:
        done.update(ImportStatus="FAILED", FailureCode="S3NoSuchBucket", FailureMessage=str(error))
    done["EndTime"] = engine.clock.now()
    engine.store.run(lambda transaction: _finish(engine, transaction, table, done))


def _finish(engine: Engine, transaction: Transaction, table: Table, done: Body) -> None:
    done["ImportedItemCount"] = counts(engine, table.number)[0]
    IMPORTS.save(transaction, done)
    current = engine.catalog.find(table.name)
    if current is None or current.number != table.number:
        return
    if done["ImportStatus"] == "FAILED":
        remove_table(engine, transaction, current)
        return
    body = {name: value for name, value in current.body.items() if name != "import"}
    engine.catalog.save(transaction, {**body, "TableStatus": "ACTIVE"})


def _items(engine: Engine, table: Table, done: Body) -> Iterator[Item]:
    """The items of all files; what cannot be read as one is counted in ``done``."""
    source = done["S3BucketSource"]
    place = bucket.path_of(engine, source["S3Bucket"])
    if not place.is_dir():
        raise FileNotFoundError(f"The specified bucket does not exist: {place}")
    done.update(ErrorCount=0, ProcessedSizeBytes=0, ProcessedItemCount=0)
    records = _csv_records if done["InputFormat"] == "CSV" else _json_records
    prefix = source.get("S3KeyPrefix", "").lstrip("/")
    for _, path in bucket.keys(engine, source["S3Bucket"], prefix):
        done["ProcessedSizeBytes"] += path.stat().st_size
        try:
            for record in records(path, table, done):
                done["ProcessedItemCount"] += 1
                try:
                    yield _checked(table, record())
                except _BAD_LINE:
                    done["ErrorCount"] += 1
        except (EOFError, zlib.error, gzip.BadGzipFile, *_BAD_LINE):
            done["ErrorCount"] += 1  # not the kind of file it was said to be


def _checked(table: Table, item: Item) -> Item:
    checked, size = normalize_item(item)
    table.check_item_keys(checked)
    table.check_index_keys(checked)
    if size > MAX_ITEM_SIZE:
        raise ValueError("the item is too large")
    return checked


# --- formats -----------------------------------------------------------------------------


def _open(path: Path, done: Body) -> IO[bytes]:
    if done["InputCompressionType"] == "GZIP":
        return gzip.open(path, "rb")  # type: ignore[return-value]
    return path.open("rb")


def _json_records(path: Path, table: Table, done: Body) -> Iterator[Callable[[], Item]]:
    with _open(path, done) as file:
        while line := file.readline(MAX_LINE):
            if line.strip():
                yield lambda line=line: orjson.loads(line)["Item"]  # type: ignore[misc]


def _csv_records(path: Path, table: Table, done: Body) -> Iterator[Callable[[], Item]]:
    options = (done.get("InputFormatOptions") or {}).get("Csv") or {}
    with _open(path, done) as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
        rows = csv.reader(text, delimiter=options.get("Delimiter", ","), strict=True)
        header = options.get("HeaderList") or next(rows, [])
        for row in rows:
            if row:
                yield lambda row=row: _csv_item(table, header, row)  # type: ignore[misc]


def _csv_item(table: Table, header: list[str], row: list[str]) -> Item:
    """Keys of the table and its indexes have their defined type, everything else is text."""
    if len(row) > len(header):
        raise ValueError("the line has more values than the header has names")
    return {
        name: {table.types.get(name, "S"): value} for name, value in zip(header, row, strict=False)
    }


def start(engine: Engine) -> None:
    """Begin again the imports that a crash has cut short."""
    for body in IMPORTS.unfinished(engine):
        _add_job(engine, body)


OPERATIONS = {
    "ImportTable": (import_table, True),
    "DescribeImport": (describe_import, False),
    "ListImports": (list_imports, False),
}
