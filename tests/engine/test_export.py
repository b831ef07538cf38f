"""Exports to and imports from local folders that stand for buckets."""

from __future__ import annotations

import gc
import gzip
from base64 import b64encode
from collections.abc import Callable, Iterator
from hashlib import md5
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.engine.samples import composite_table, index, simple_table

from tablewright.clock import ManualClock
from tablewright.engine import AwsError, Engine
from tablewright.engine.backups import bucket, export, restores

Refused = Callable[..., AwsError]

NOW = 1_800_000_000
ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/Simple"


@pytest.fixture(params=["memory", "disk"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Iterator[Engine]:
    path = None if request.param == "memory" else tmp_path / "data"
    with Engine(path, durability="relaxed", clock=clock) as engine:
        yield engine


def create(engine: Engine, **more: Any) -> None:
    engine.call("CreateTable", simple_table(**more))
    spec = {"PointInTimeRecoveryEnabled": True}
    request = {"TableName": "Simple", "PointInTimeRecoverySpecification": spec}
    engine.call("UpdateContinuousBackups", request)


def put(engine: Engine, pk: str, v: int) -> None:
    item = {"pk": {"S": pk}, "v": {"N": str(v)}}
    engine.call("PutItem", {"TableName": "Simple", "Item": item})


def delete(engine: Engine, pk: str) -> None:
    engine.call("DeleteItem", {"TableName": "Simple", "Key": {"pk": {"S": pk}}})


def start_export(engine: Engine, **more: Any) -> dict[str, Any]:
    request = {"TableArn": ARN, "S3Bucket": "my-bucket", **more}
    answer: dict[str, Any] = engine.call("ExportTableToPointInTime", request)["ExportDescription"]
    return answer


def exported(engine: Engine, **more: Any) -> dict[str, Any]:
    """A finished export's description."""
    started = start_export(engine, **more)
    assert started["ExportStatus"] == "IN_PROGRESS"
    engine.jobs.wait()
    request = {"ExportArn": started["ExportArn"]}
    answer: dict[str, Any] = engine.call("DescribeExport", request)["ExportDescription"]
    assert answer["ExportStatus"] == "COMPLETED", answer
    return answer


def content(engine: Engine, key: str) -> bytes:
    return (bucket.path_of(engine, "my-bucket") / key).read_bytes()


def lines(engine: Engine, described: dict[str, Any]) -> list[dict[str, Any]]:
    """All lines of an export, found through its manifests, all checksums checked."""
    summary = orjson.loads(content(engine, described["ExportManifest"]))
    listed = content(engine, summary["manifestFilesS3Key"])
    for key in (described["ExportManifest"], summary["manifestFilesS3Key"]):
        digest = b64encode(md5(content(engine, key)).digest())
        assert content(engine, key.replace(".json", ".md5")) == digest
    found: list[dict[str, Any]] = []
    for line in listed.splitlines():
        entry = orjson.loads(line)
        data = content(engine, entry["dataFileS3Key"])
        assert entry["md5Checksum"] == b64encode(md5(data).digest()).decode()
        items = [orjson.loads(text) for text in gzip.decompress(data).splitlines()]
        assert len(items) == entry["itemCount"]
        found += items
    assert len(found) == summary["itemCount"] == described["ItemCount"]
    return found


def values(entries: list[dict[str, Any]]) -> dict[str, str]:
    return {entry["Item"]["pk"]["S"]: entry["Item"]["v"]["N"] for entry in entries}


# --- exports -----------------------------------------------------------------------------


def test_a_full_export_in_the_layout_of_the_service(engine: Engine, clock: ManualClock) -> None:
    create(engine)
    put(engine, "a", 1)
    put(engine, "b", 2)
    clock.advance(60)
    described = exported(engine, S3Prefix="some/prefix/")
    export_id = described["ExportArn"].rpartition("/")[2]
    folder = f"some/prefix/AWSDynamoDB/{export_id}"
    assert described["ExportManifest"] == f"{folder}/manifest-summary.json"
    assert described["ExportFormat"] == "DYNAMODB_JSON"
    assert described["ExportType"] == "FULL_EXPORT"
    assert described["ExportTime"] == described["StartTime"] == NOW + 60
    assert described["TableArn"] == ARN
    assert described["ItemCount"] == 2
    assert described["BilledSizeBytes"] > 0
    assert not [name for name in described if name[0].islower()]
    assert values(lines(engine, described)) == {"a": "1", "b": "2"}
    summary = orjson.loads(content(engine, described["ExportManifest"]))
    assert summary["version"] == "2020-06-30"
    assert summary["exportTime"] == "2027-01-15T08:01:00.000Z"
    assert summary["s3Prefix"] == "some/prefix/"
    names = {path.name for path in (bucket.path_of(engine, "my-bucket") / folder).iterdir()}
    assert names == {
        "_started",
        "data",
        "manifest-files.json",
        "manifest-files.md5",
        "manifest-summary.json",
        "manifest-summary.md5",
    }


def test_an_export_of_the_past(engine: Engine, clock: ManualClock) -> None:
    create(engine)
    put(engine, "a", 1)
    put(engine, "gone", 1)
    clock.advance(10)
    put(engine, "a", 2)
    put(engine, "new", 2)
    delete(engine, "gone")
    clock.advance(10)
    assert values(lines(engine, exported(engine, ExportTime=NOW + 5))) == {"a": "1", "gone": "1"}
    assert values(lines(engine, exported(engine))) == {"a": "2", "new": "2"}


def test_an_export_does_not_see_what_is_written_meanwhile(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "BATCH", 5)
    monkeypatch.setattr(export, "FILE_BYTES", 300)
    create(engine)
    for n in range(40):
        put(engine, str(n), n)
    waiting: list[Any] = []
    monkeypatch.setattr(engine.jobs, "add", lambda name, job: waiting.append(job))
    started = start_export(engine)
    for step, _ in enumerate(waiting[0]()):
        put(engine, str(step), -1)
        delete(engine, str(39 - step))
    described = engine.call("DescribeExport", {"ExportArn": started["ExportArn"]})
    found = lines(engine, described["ExportDescription"])
    assert values(found) == {str(n): str(n) for n in range(40)}
    data = bucket.path_of(engine, "my-bucket") / Path(
        described["ExportDescription"]["ExportManifest"]
    ).with_name("data")
    assert len(list(data.iterdir())) > 2


@pytest.mark.parametrize("view", [None, "NEW_AND_OLD_IMAGES", "NEW_IMAGE"])
def test_an_incremental_export(engine: Engine, clock: ManualClock, view: str | None) -> None:
    create(engine)
    put(engine, "same", 0)
    put(engine, "changed", 0)
    put(engine, "gone", 0)
    clock.advance(1000)
    put(engine, "changed", 1)
    put(engine, "changed", 2)
    put(engine, "new", 2)
    delete(engine, "gone")
    put(engine, "brief", 2)
    delete(engine, "brief")
    clock.advance(1000)
    put(engine, "changed", 3)
    put(engine, "later", 3)
    clock.advance(1000)
    spec: dict[str, Any] = {"ExportFromTime": NOW + 500, "ExportToTime": NOW + 1500}
    if view is not None:
        spec["ExportViewType"] = view
    described = exported(
        engine, ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=spec
    )
    assert described["IncrementalExportSpecification"] == {
        **spec,
        "ExportViewType": view or "NEW_AND_OLD_IMAGES",
    }
    found = {line["Keys"]["pk"]["S"]: line for line in lines(engine, described)}
    assert found.keys() == {"changed", "new", "gone"}
    moment = {"WriteTimestampMicros": str((NOW + 1000) * 1_000_000)}
    assert all(line["Metadata"] == moment for line in found.values())
    assert found["changed"]["NewImage"]["v"] == {"N": "2"}
    assert found["new"]["NewImage"]["v"] == {"N": "2"}
    assert "NewImage" not in found["gone"]
    assert "OldImage" not in found["new"]
    if view == "NEW_IMAGE":
        assert not any("OldImage" in line for line in found.values())
    else:
        assert found["changed"]["OldImage"]["v"] == {"N": "0"}
        assert found["gone"]["OldImage"]["v"] == {"N": "0"}


def test_the_first_moment_of_an_incremental_export_counts_and_the_last_does_not(
    engine: Engine, clock: ManualClock
) -> None:
    create(engine)
    put(engine, "at start", 0)
    clock.advance(1000)
    put(engine, "at end", 0)

    def changed(**times: float) -> set[str]:
        described = exported(
            engine, ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=times
        )
        return {line["Keys"]["pk"]["S"] for line in lines(engine, described)}

    assert changed(ExportFromTime=NOW, ExportToTime=NOW + 1000) == {"at start"}
    # Without an end, it is the latest change.
    assert changed(ExportFromTime=NOW) == {"at start", "at end"}
    clock.advance(1000)
    assert changed(ExportFromTime=NOW + 1000, ExportToTime=NOW + 2000) == {"at end"}


def test_an_export_of_nothing_has_an_empty_file(engine: Engine) -> None:
    create(engine)
    described = exported(engine)
    assert lines(engine, described) == []
    assert described["ItemCount"] == described["BilledSizeBytes"] == 0
    summary = orjson.loads(content(engine, described["ExportManifest"]))
    (entry,) = content(engine, summary["manifestFilesS3Key"]).splitlines()
    assert gzip.decompress(content(engine, orjson.loads(entry)["dataFileS3Key"])) == b""


def test_exports_that_are_refused(engine: Engine, clock: ManualClock, refused: Refused) -> None:
    def code(**more: Any) -> str:
        request = {"TableArn": ARN, "S3Bucket": "my-bucket", **more}
        return refused("ExportTableToPointInTime", **request).code

    def incremental(**times: float) -> str:
        return code(ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=times)

    assert code() == "TableNotFoundException"
    engine.call("CreateTable", simple_table())
    assert code() == "PointInTimeRecoveryUnavailableException"
    engine.call("DeleteTable", {"TableName": "Simple"})
    create(engine)
    clock.advance(100_000)
    assert code(ExportTime=NOW - 1) == "InvalidExportTimeException"
    assert code(ExportTime=NOW + 100_001) == "InvalidExportTimeException"
    assert code(ExportFormat="ION") == "ValidationException"
    assert code(ExportType="INCREMENTAL_EXPORT") == "ValidationException"
    assert incremental(ExportToTime=NOW + 1000) == "ValidationException"
    assert incremental(ExportFromTime=NOW, ExportToTime=NOW + 60) == "ValidationException"
    assert incremental(ExportFromTime=NOW, ExportToTime=NOW + 90_000) == "ValidationException"
    assert incremental(ExportFromTime=NOW + 2000, ExportToTime=NOW) == "ValidationException"
    assert (
        incremental(ExportFromTime=NOW - 500, ExportToTime=NOW + 1000)
        == "InvalidExportTimeException"
    )
    assert not bucket.path_of(engine, "my-bucket").exists()


@pytest.mark.parametrize(
    "prefix", ["..", "../x", "a/../../x", "a/./b", "a//b", "a\\..\\b", "a\x00b", "/../x", "C:/x"]
)
def test_a_prefix_can_not_lead_out_of_its_bucket(
    engine: Engine, refused: Refused, prefix: str
) -> None:
    create(engine)
    error = refused("ExportTableToPointInTime", TableArn=ARN, S3Bucket="my-bucket", S3Prefix=prefix)
    assert error.code == "ValidationException"


@pytest.mark.parametrize("name", ["..", ".", "a/b", "../x", "a\\b", "", "x/../../y", "-a"])
def test_a_bucket_can_not_lead_out_of_its_folder(
    engine: Engine, refused: Refused, name: str
) -> None:
    create(engine)
    error = refused("ExportTableToPointInTime", TableArn=ARN, S3Bucket=name)
    assert error.code == "ValidationException"
    with pytest.raises(AwsError):
        bucket.path_of(engine, name)


def test_a_link_can_not_lead_out_of_the_bucket(engine: Engine, tmp_path: Path) -> None:
    create(engine)
    put(engine, "a", 1)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.json").write_bytes(b'{"Item":{"pk":{"S":"secret"}}}\n')
    place = bucket.path_of(engine, "my-bucket")
    place.mkdir(parents=True)
    (place / "link").symlink_to(outside)
    started = start_export(engine, S3Prefix="link")
    engine.jobs.wait()
    described = engine.call("DescribeExport", {"ExportArn": started["ExportArn"]})
    assert described["ExportDescription"]["ExportStatus"] == "FAILED"
    assert "FailureMessage" in described["ExportDescription"]
    assert [path.name for path in outside.rglob("*")] == ["secret.json"]
    imported = import_table(engine, "link")
    assert imported["ProcessedItemCount"] == 0


def test_repeating_a_client_token(engine: Engine, clock: ManualClock, refused: Refused) -> None:
    create(engine)
    first = start_export(engine, ClientToken="token")
    engine.jobs.wait()
    again = start_export(engine, ClientToken="token")
    assert again["ExportArn"] == first["ExportArn"]
    error = refused("ExportTableToPointInTime", TableArn=ARN, S3Bucket="other", ClientToken="token")
    assert error.code == "ExportConflictException"
    clock.advance(8 * 3600)
    assert start_export(engine, ClientToken="token")["ExportArn"] != first["ExportArn"]


def test_listing_exports(engine: Engine, clock: ManualClock, refused: Refused) -> None:
    create(engine)
    arns = []
    for _ in range(5):
        arns.append(start_export(engine)["ExportArn"])
        clock.advance(1)
    engine.jobs.wait()
    found: list[str] = []
    request: dict[str, Any] = {"MaxResults": 2, "TableArn": ARN}
    while True:
        page = engine.call("ListExports", request)
        found += [summary["ExportArn"] for summary in page["ExportSummaries"]]
        assert all(each["ExportStatus"] == "COMPLETED" for each in page["ExportSummaries"])
        if "NextToken" not in page:
            break
        request["NextToken"] = page["NextToken"]
    assert found == arns[::-1]
    assert engine.call("ListExports", {"TableArn": f"{ARN}2"})["ExportSummaries"] == []
    assert refused("ListExports", NextToken="nonsense").code == "ValidationException"
    assert refused("DescribeExport", ExportArn=f"{ARN}/export/0").code == "ExportNotFoundException"
    clock.advance(90 * 24 * 3600 - 3)
    listed = engine.call("ListExports", {})["ExportSummaries"]
    assert [summary["ExportArn"] for summary in listed] == arns[:1:-1]


def test_recovery_stays_on_while_a_table_is_exported(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    create(engine)
    put(engine, "a", 1)
    waiting: list[Any] = []
    monkeypatch.setattr(engine.jobs, "add", lambda name, job: waiting.append(job))
    started = start_export(engine)
    spec = {"PointInTimeRecoveryEnabled": False}
    request = {"TableName": "Simple", "PointInTimeRecoverySpecification": spec}
    error = refused("UpdateContinuousBackups", **request)
    assert error.code == "ContinuousBackupsUnavailableException"
    # The table may be deleted: it is kept for a while, because it has recovery.
    engine.call("DeleteTable", {"TableName": "Simple"})
    for job in waiting[1:]:
        list(job())
    list(waiting[0]())
    described = engine.call("DescribeExport", {"ExportArn": started["ExportArn"]})
    assert values(lines(engine, described["ExportDescription"])) == {"a": "1"}


def test_an_export_that_was_cut_short_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "BATCH", 5)
    clock = ManualClock(NOW)
    with Engine(tmp_path, clock=clock, durability="relaxed") as engine:
        create(engine)
        for n in range(30):
            put(engine, str(n), n)
        waiting: list[Any] = []
        monkeypatch.setattr(engine.jobs, "add", lambda name, job: waiting.append(job))
        started = start_export(engine)
        job = waiting[0]()
        next(job)
        next(job)
        put(engine, "1", -1)
    with Engine(tmp_path, clock=clock) as engine:
        engine.jobs.wait()
        request = {"ExportArn": started["ExportArn"]}
        described = engine.call("DescribeExport", request)["ExportDescription"]
        assert described["ExportStatus"] == "COMPLETED"
        assert values(lines(engine, described)) == {str(n): str(n) for n in range(30)}


# --- imports -----------------------------------------------------------------------------


def import_request(prefix: str = "", **more: Any) -> dict[str, Any]:
    definition = simple_table("Imported")
    return {
        "S3BucketSource": {"S3Bucket": "my-bucket", "S3KeyPrefix": prefix},
        "InputFormat": "DYNAMODB_JSON",
        "TableCreationParameters": definition,
        **more,
    }


def import_table(engine: Engine, prefix: str = "", **more: Any) -> dict[str, Any]:
    """A finished import's description."""
    started = engine.call("ImportTable", import_request(prefix, **more))
    started = started["ImportTableDescription"]
    assert started["ImportStatus"] == "IN_PROGRESS"
    engine.jobs.wait()
    answer = engine.call("DescribeImport", {"ImportArn": started["ImportArn"]})
    described: dict[str, Any] = answer["ImportTableDescription"]
    return described


def upload(engine: Engine, key: str, data: bytes) -> None:
    bucket.put(engine, "my-bucket", key, data)


def scan(engine: Engine, name: str = "Imported") -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = engine.call("Scan", {"TableName": name})["Items"]
    return sorted(items, key=orjson.dumps)


def test_what_was_exported_can_be_imported(engine: Engine) -> None:
    create(engine)
    for n in range(50):
        put(engine, str(n), n)
    manifest = exported(engine, S3Prefix="backup")["ExportManifest"]
    prefix = manifest.replace("manifest-summary.json", "data/")
    described = import_table(engine, prefix, InputCompressionType="GZIP")
    assert described["ImportStatus"] == "COMPLETED"
    assert described["ImportedItemCount"] == described["ProcessedItemCount"] == 50
    assert described["ErrorCount"] == 0
    assert described["ProcessedSizeBytes"] > 0
    assert described["EndTime"] == NOW
    assert scan(engine) == scan(engine, "Simple")
    table = engine.call("DescribeTable", {"TableName": "Imported"})["Table"]
    assert table["TableStatus"] == "ACTIVE"
    assert table["TableArn"] == described["TableArn"]


def test_the_prefix_is_the_beginning_of_the_key(engine: Engine) -> None:
    upload(engine, "in/one.json", b'{"Item":{"pk":{"S":"one"}}}\n\n{"Item":{"pk":{"S":"two"}}}')
    upload(engine, "in/other.json", b'{"Item":{"pk":{"S":"three"}}}\r\n')
    upload(engine, "out/one.json", b'{"Item":{"pk":{"S":"four"}}}\n')
    import_table(engine, "in/o")
    assert [item["pk"]["S"] for item in scan(engine)] == ["one", "three", "two"]


def test_lines_that_are_not_items_are_counted_and_passed_over(engine: Engine) -> None:
    good = b'{"Item":{"pk":{"S":"good"},"v":{"N":"01.50"}}}'
    bad = [
        b"not json",
        b"[]",
        b"{}",
        b'{"Item":[]}',
        b'{"Item":{"other":{"S":"no key"}}}',
        b'{"Item":{"pk":{"N":"1"}}}',
        b'{"Item":{"pk":{"S":""}}}',
        b'{"Item":{"pk":{"S":"x"},"v":{"N":"one"}}}',
        b'{"Item":{"pk":{"S":"x"},"v":{"X":"?"}}}',
        b'{"Item":{"pk":{"S":"x"},"v":7}}',
        b'{"Item":{"pk":{"S":"x"},"v":{"S":["not","text"]}}}',
        b'{"Item":{"pk":{"S":"x"},"v":{"S":"' + b"x" * 410_000 + b'"}}}',
        b'{"Item":{"pk":{"S":"x"},"v":{"N":5}}}',
        b"\xff\xfe",
    ]
    upload(engine, "file", b"\n".join([good, *bad, good.replace(b"good", b"last")]))
    described = import_table(engine)
    assert described["ImportStatus"] == "COMPLETED"
    assert described["ErrorCount"] == len(bad)
    assert described["ProcessedItemCount"] == len(bad) + 2
    assert described["ImportedItemCount"] == 2
    assert [item["pk"]["S"] for item in scan(engine)] == ["good", "last"]
    assert scan(engine)[0]["v"] == {"N": "1.5"}


def test_a_file_of_another_kind_is_one_error(engine: Engine) -> None:
    upload(engine, "a.gz", b"this is no gzip file at all")
    upload(engine, "b.gz", gzip.compress(b'{"Item":{"pk":{"S":"b"}}}\n'))
    cut = gzip.compress(b'{"Item":{"pk":{"S":"c"}}}\n' * 2000)
    upload(engine, "c.gz", cut[: len(cut) // 2])
    described = import_table(engine, InputCompressionType="GZIP")
    assert described["ImportStatus"] == "COMPLETED"
    assert described["ErrorCount"] == 2
    assert [item["pk"]["S"] for item in scan(engine)] in (["b"], ["b", "c"])


def csv_table(engine: Engine, **options: Any) -> dict[str, Any]:
    definition = composite_table(
        "Imported",
        sort="N",
        AttributeDefinitions=[{"AttributeName": "g", "AttributeType": "N"}],
        GlobalSecondaryIndexes=[index("global", "g")],
    )
    more = {"InputFormatOptions": {"Csv": options}} if options else {}
    return import_table(engine, InputFormat="CSV", TableCreationParameters=definition, **more)


def test_csv_with_a_header_line(engine: Engine) -> None:
    text = 'pk,sk,g,name\na,1,10,"Doe, ""John"""\nb,2,20,"two\nlines"\nc,x,1,bad number\n'
    upload(engine, "file.csv", b"\xef\xbb\xbf" + text.encode())
    described = csv_table(engine)
    assert described["ErrorCount"] == 1
    assert scan(engine) == [
        {"pk": {"S": "a"}, "sk": {"N": "1"}, "g": {"N": "10"}, "name": {"S": 'Doe, "John"'}},
        {"pk": {"S": "b"}, "sk": {"N": "2"}, "g": {"N": "20"}, "name": {"S": "two\nlines"}},
    ]
    found = engine.call("Scan", {"TableName": "Imported", "IndexName": "global"})
    assert found["Count"] == 2


def test_csv_with_given_names_and_delimiter(engine: Engine) -> None:
    upload(engine, "file.csv", b"a;1;10\nb;2;20;too many\nc;3;30\n")
    described = csv_table(engine, Delimiter=";", HeaderList=["pk", "sk", "g"])
    assert described["ErrorCount"] == 1
    assert described["InputFormatOptions"]["Csv"]["Delimiter"] == ";"
    assert [item["pk"]["S"] for item in scan(engine)] == ["a", "c"]


def test_imports_that_are_refused(engine: Engine, refused: Refused) -> None:
    upload(engine, "file", b"")

    def code(**more: Any) -> str:
        return refused("ImportTable", **import_request(**more)).code

    assert code(InputFormat="ION") == "ValidationException"
    assert code(InputCompressionType="ZSTD") == "ValidationException"
    csv = {"InputFormatOptions": {"Csv": {"Delimiter": ","}}}
    assert code(**csv) == "ValidationException"
    for prefix in ("../", "a/../../b"):
        source = {"S3Bucket": "my-bucket", "S3KeyPrefix": prefix}
        assert code(S3BucketSource=source) == "ValidationException"
    broken = {**simple_table("Imported"), "AttributeDefinitions": []}
    assert code(TableCreationParameters=broken) == "ValidationException"
    engine.call("CreateTable", simple_table("Imported"))
    assert code() == "ResourceInUseException"
    missing = refused("DescribeImport", ImportArn=f"{ARN}/import/0123456789")
    assert missing.code == "ImportNotFoundException"


def test_a_bucket_that_is_not_there_fails_and_leaves_no_table(engine: Engine) -> None:
    described = import_table(engine)
    assert described["ImportStatus"] == "FAILED"
    assert described["FailureCode"] == "S3NoSuchBucket"
    assert engine.catalog.find("Imported") is None
    upload(engine, "file", b'{"Item":{"pk":{"S":"a"}}}')
    assert import_table(engine)["ImportStatus"] == "COMPLETED"


def test_a_table_while_it_is_imported(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    upload(engine, "file", b'{"Item":{"pk":{"S":"a"}}}')
    waiting: list[Any] = []
    monkeypatch.setattr(engine.jobs, "add", lambda name, job: waiting.append(job))
    request = import_request(ClientToken="token")
    started = engine.call("ImportTable", request)["ImportTableDescription"]
    table = engine.call("DescribeTable", {"TableName": "Imported"})["Table"]
    assert table["TableStatus"] == "CREATING"
    again = engine.call("ImportTable", request)["ImportTableDescription"]
    assert again["ImportArn"] == started["ImportArn"]
    other = import_request(ClientToken="token", InputCompressionType="GZIP")
    assert refused("ImportTable", **other).code == "ImportConflictException"
    assert refused("DeleteTable", TableName="Imported").code == "ResourceInUseException"
    tags = {"ResourceArn": table["TableArn"], "Tags": [{"Key": "owner", "Value": "me"}]}
    engine.call("TagResource", tags)
    list(waiting[0]())
    assert len(waiting) == 1
    assert len(scan(engine)) == 1
    kept = engine.call("ListTagsOfResource", {"ResourceArn": table["TableArn"]})
    assert kept["Tags"] == tags["Tags"]


def test_listing_imports(engine: Engine, clock: ManualClock) -> None:
    upload(engine, "file", b'{"Item":{"pk":{"S":"a"}}}')
    arns = []
    for n in range(3):
        definition = simple_table(f"Imported{n}")
        arns.append(import_table(engine, TableCreationParameters=definition)["ImportArn"])
        clock.advance(1)
    page = engine.call("ListImports", {"PageSize": 2})
    rest = engine.call("ListImports", {"PageSize": 2, "NextToken": page["NextToken"]})
    found = page["ImportSummaryList"] + rest["ImportSummaryList"]
    assert [summary["ImportArn"] for summary in found] == arns
    assert "NextToken" not in rest
    assert found[0]["InputFormat"] == "DYNAMODB_JSON"
    one = engine.call("ListImports", {"TableArn": found[1]["TableArn"]})["ImportSummaryList"]
    assert one == [found[1]]


def test_an_import_that_was_cut_short_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restores, "BATCH", 5)
    with Engine(tmp_path, durability="relaxed") as engine:
        data = b"".join(b'{"Item":{"pk":{"S":"%d"}}}\n' % n for n in range(30))
        upload(engine, "file", data + b"bad\n")
        waiting: list[Any] = []
        monkeypatch.setattr(engine.jobs, "add", lambda name, job: waiting.append(job))
        started = engine.call("ImportTable", import_request())["ImportTableDescription"]
        job = waiting[0]()
        next(job)
        next(job)
    with Engine(tmp_path) as engine:
        engine.jobs.wait()
        request = {"ImportArn": started["ImportArn"]}
        described = engine.call("DescribeImport", request)["ImportTableDescription"]
        assert described["ImportStatus"] == "COMPLETED"
        assert described["ImportedItemCount"] == 30
        assert described["ErrorCount"] == 1
        assert len(scan(engine)) == 30


def test_a_memory_engine_leaves_no_files_behind() -> None:
    engine = Engine.memory()
    upload(engine, "file", b"x")
    place = bucket.root(engine)
    assert place.exists()
    engine.close()
    del engine
    gc.collect()
    assert not place.exists()
