"""ExportTableToPointInTime: a table's past, as files in a bucket folder.

A full export holds what stood in the table at a moment; an incremental one what became of the
items that changed between two moments. Which changes are meant is fixed when the export is asked
for; since the past does not change (see ``history``), a job can write the files in its own time,
and write them again if a crash has cut it short. The layout is the service's own.
"""

from __future__ import annotations

import gzip
import io
from base64 import b64encode
from collections.abc import Generator, Iterator
from datetime import UTC, datetime
from hashlib import md5
from typing import TYPE_CHECKING

import orjson

from tablewright.engine.backups import bucket, continuous, history
from tablewright.engine.backups.transfers import EXPORTS, MAX_LISTED, shown
from tablewright.engine.catalog import table_name
from tablewright.engine.errors import AwsError, validation
from tablewright.engine.handler import Request, Response
from tablewright.engine.schema import Body, Table
from tablewright.engine.storage.transaction import Transaction, Work

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


FULL, INCREMENTAL = "FULL_EXPORT", "INCREMENTAL_EXPORT"
#: What an incremental export may span.
MIN_SPAN, MAX_SPAN = 15 * 60, 24 * 3600
#: Bytes of lines in one data file, and lines read at a time.
FILE_BYTES = 64 * 1024 * 1024
BATCH = 200

_COPIED = ("ClientToken", "S3BucketOwner", "S3Prefix", "S3SseAlgorithm", "S3SseKmsKeyId")


# --- operations --------------------------------------------------------------------------


def export_table_to_point_in_time(engine: Engine, request: Request, shape: object) -> Work:
    _check(request)
    bucket.path_of(engine, request["S3Bucket"])
    bucket.check_prefix(request.get("S3Prefix", ""))
    name = table_name(request["TableArn"])
    past = continuous.window(engine, name)
    kept = _span(engine, past, request)

    def work(transaction: Transaction) -> Response:
        earlier = EXPORTS.repeated(engine, request)
        if earlier is not None:
            return {"ExportDescription": shown(earlier)}
        if continuous.window(engine, name).body["number"] != past.body["number"]:
            raise continuous.recovery_unavailable(name)
        arn = EXPORTS.new_arn(
            transaction, past.body["TableArn"], engine.catalog.next_number(transaction)
        )
        body = {
            "ExportArn": arn,
            "ExportStatus": "IN_PROGRESS",
            "StartTime": transaction.now,
            "ExportManifest": _key(request, arn, "manifest-summary.json"),
            "TableArn": past.body["TableArn"],
            "TableId": past.body["TableId"],
            "S3Bucket": request["S3Bucket"],
            "ExportFormat": "DYNAMODB_JSON",
            **{field: request[field] for field in _COPIED if field in request},
            **kept,
            "request": request,
            "table": past.body,
        }
        EXPORTS.save(transaction, body)
        transaction.after_commit(lambda: _add_job(engine, body))
        return {"ExportDescription": shown(body)}

    return work


def _check(request: Request) -> None:
    if request.get("ExportFormat", "DYNAMODB_JSON") != "DYNAMODB_JSON":
        raise validation("ExportFormat ION is not offered by this engine; use DYNAMODB_JSON")
    if request.get("FilterSpecification"):
        raise validation("FilterSpecification is not offered by this engine")
    incremental = request.get("ExportType") == INCREMENTAL
    if incremental != bool(request.get("IncrementalExportSpecification")):
        raise validation(
            "IncrementalExportSpecification must be given if, and only if, ExportType is "
            f"{INCREMENTAL}"
        )
    if incremental and request.get("ExportTime") is not None:
        raise validation(f"ExportTime must not be given if ExportType is {INCREMENTAL}")


def _span(engine: Engine, past: continuous.Window, request: Request) -> Body:
    """The moments an export is about, and the changes that stand for them."""
    if request.get("ExportType") != INCREMENTAL:
        moment = request.get("ExportTime")
        return {
            "ExportType": FULL,
            "ExportTime": _within(past, moment),
            "until": past.sequence(engine, moment),
        }
    given = request["IncrementalExportSpecification"]
    start, end = given.get("ExportFromTime"), given.get("ExportToTime", past.latest)
    if start is None:
        raise validation("IncrementalExportSpecification needs an ExportFromTime")
    if not MIN_SPAN <= end - start <= MAX_SPAN:
        raise validation(
            "The difference between ExportFromTime and ExportToTime must be at least 15 minutes "
            "and at most 24 hours"
        )
    return {
        "ExportType": INCREMENTAL,
        "IncrementalExportSpecification": {
            "ExportFromTime": _within(past, start),
            "ExportToTime": _within(past, end),
            "ExportViewType": given.get("ExportViewType", "NEW_AND_OLD_IMAGES"),
        },
        # What was changed at the first moment belongs to the export, what at the last does not.
        "since": past.sequence(engine, start, inclusive=False),
        "until": past.sequence(engine, given.get("ExportToTime"), inclusive=False),
    }


def _within(past: continuous.Window, moment: float | None) -> float:
    if moment is None:
        return past.latest
    if not past.holds(moment):
        raise AwsError(
            "InvalidExportTimeException",
            "The specified ExportTime is outside of the point in time recovery window.",
        )
    return moment


def describe_export(engine: Engine, request: Request, shape: object) -> Response:
    return {"ExportDescription": shown(EXPORTS.find(engine, request["ExportArn"]))}


def list_exports(engine: Engine, request: Request, shape: object) -> Response:
    bodies, more = EXPORTS.page(engine, request, request.get("MaxResults", MAX_LISTED))
    fields = ("ExportArn", "ExportStatus", "ExportType")
    return {"ExportSummaries": [{f: body[f] for f in fields} for body in bodies], **more}


# --- the job -----------------------------------------------------------------------------


def _add_job(engine: Engine, body: Body) -> None:
    engine.jobs.add(f"export {body['ExportArn']}", lambda: _export(engine, body))


def _export(engine: Engine, body: Body) -> Iterator[object]:
    done = {**body, "BilledSizeBytes": 0, "ItemCount": 0}
    try:
        yield from _write_files(engine, done)
        done.update(ExportStatus="COMPLETED", EndTime=engine.clock.now())
        _write_summary(engine, done)
    except OSError as error:
        done.update(
            ExportStatus="FAILED",
            EndTime=engine.clock.now(),
            FailureCode="S3Exception",
            FailureMessage=str(error),
        )
    engine.store.run(lambda transaction: EXPORTS.save(transaction, done))


def _write_files(engine: Engine, body: Body) -> Iterator[object]:
    """Write the data files and their list; each step is one batch of lines."""
    bucket.put(engine, body["S3Bucket"], _key(body, body["ExportArn"], "_started"), b"")
    lines = _incremental_lines if body["ExportType"] == INCREMENTAL else _full_lines
    batches = lines(engine, body)
    files: list[Body] = []
    while True:
        content, count, size = yield from _compress(batches)
        if not count and files:
            break
        # The first is written even if it is empty.
        files.append(_put_data(engine, body, len(files), count, content))
        body["BilledSizeBytes"] += size
        body["ItemCount"] += count
    listed = b"".join(orjson.dumps(entry) + b"\n" for entry in files)
    _put_with_sum(engine, body, "manifest-files.json", listed)


def _compress(
    batches: Iterator[list[bytes]],
) -> Generator[object, None, tuple[bytes, int, int]]:
    """The content of one data file, its lines, and their bytes."""
    raw = io.BytesIO()
    count = size = 0
    with gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as file:
        for batch in batches:
            file.writelines(batch)
            count += len(batch)
            size += sum(map(len, batch))
            yield None
            if size >= FILE_BYTES:
                break
    return raw.getvalue(), count, size


def _put_data(engine: Engine, body: Body, number: int, count: int, content: bytes) -> Body:
    arn = body["ExportArn"]
    name = md5(f"{arn}/{number}".encode(), usedforsecurity=False).hexdigest()[:26]
    place = f"data/{name}.json.gz"
    if body["ExportType"] == INCREMENTAL:
        place = f"../data/{name}.json.gz"
    key = _key(body, arn, place)
    bucket.put(engine, body["S3Bucket"], key, content)
    digest = md5(content, usedforsecurity=False)
    return {
        "itemCount": count,
        "md5Checksum": b64encode(digest.digest()).decode(),
        "etag": f"{digest.hexdigest()}-1",
        "dataFileS3Key": key,
    }


def _put_with_sum(engine: Engine, body: Body, name: str, content: bytes) -> None:
    key = _key(body, body["ExportArn"], name)
    digest = b64encode(md5(content, usedforsecurity=False).digest())
    bucket.put(engine, body["S3Bucket"], key, content)
    bucket.put(engine, body["S3Bucket"], key.removesuffix(".json") + ".md5", digest)


def _write_summary(engine: Engine, body: Body) -> None:
    spec = body.get("IncrementalExportSpecification")
    summary: Body = {
        "version": "2023-08-01" if spec else "2020-06-30",
        "exportArn": body["ExportArn"],
        "startTime": _iso(body["StartTime"]),
        "endTime": _iso(body["EndTime"]),
        "tableArn": body["TableArn"],
        "tableId": body["TableId"],
        "s3Bucket": body["S3Bucket"],
        "s3Prefix": body.get("S3Prefix"),
        "s3SseAlgorithm": body.get("S3SseAlgorithm", "AES256"),
        "s3SseKmsKeyId": body.get("S3SseKmsKeyId"),
        "manifestFilesS3Key": _key(body, body["ExportArn"], "manifest-files.json"),
        "billedSizeBytes": body["BilledSizeBytes"],
        "itemCount": body["ItemCount"],
        "outputFormat": body["ExportFormat"],
        "exportType": body["ExportType"],
    }
    if spec:
        summary["exportFromTime"] = _iso(spec["ExportFromTime"])
        summary["exportToTime"] = _iso(spec["ExportToTime"])
        summary["outputView"] = spec["ExportViewType"]
    else:
        summary["exportTime"] = _iso(body["ExportTime"])
    _put_with_sum(engine, body, "manifest-summary.json", orjson.dumps(summary))


def _key(request: Request, arn: str, place: str) -> str:
    """The key of one of an export's files."""
    prefix = bucket.check_prefix(request.get("S3Prefix", ""))
    folder = f"AWSDynamoDB/{arn.rpartition('/')[2]}"
    if place.startswith("../"):
        folder, place = "AWSDynamoDB", place.removeprefix("../")
    return "/".join(part for part in (prefix, folder, place) if part)


def _iso(moment: float) -> str:
    text = datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


# --- what stands in the files ------------------------------------------------------------


def _full_lines(engine: Engine, body: Body) -> Iterator[list[bytes]]:
    number, until = body["table"]["number"], body["until"]
    for rows in history.slices(engine.store, number, until, BATCH):
        if rows:
            yield [b'{"Item":' + blob + b"}\n" for _, blob in rows]


def _incremental_lines(engine: Engine, body: Body) -> Iterator[list[bytes]]:
    table = Table(body["table"])
    view = body["IncrementalExportSpecification"]["ExportViewType"]
    for changes in history.changes(engine.store, table.number, body["since"], body["until"], BATCH):
        lines = [
            _change_line(table, change, view) for change in changes if change.old != change.new
        ]
        if lines:
            yield lines


def _change_line(table: Table, change: history.Change, view: str) -> bytes:
    moment, old, new = change
    line: Body = {
        "Metadata": {"WriteTimestampMicros": str(int(moment * 1_000_000))},
        "Keys": table.key_from(orjson.loads(new or old or b"{}")),
    }
    if old is not None and view == "NEW_AND_OLD_IMAGES":
        line["OldImage"] = orjson.Fragment(old)
    if new is not None:
        line["NewImage"] = orjson.Fragment(new)
    return orjson.dumps(line) + b"\n"


def start(engine: Engine) -> None:
    """Begin again the exports that a crash has cut short."""
    for body in EXPORTS.unfinished(engine):
        _add_job(engine, body)


OPERATIONS = {
    "ExportTableToPointInTime": (export_table_to_point_in_time, True),
    "DescribeExport": (describe_export, False),
    "ListExports": (list_exports, False),
}
