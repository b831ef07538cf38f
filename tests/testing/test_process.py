"""The engine in a process of its own."""

from __future__ import annotations

import os
from pathlib import Path

import boto3
import pytest

from tablewright.testing import EngineProcess, StartFailed

pytestmark = pytest.mark.e2e


def tables(process: EngineProcess) -> list[str]:
    return list(client(process).list_tables()["TableNames"])


def client(process: EngineProcess):  # type: ignore[no-untyped-def]
    return boto3.client(
        "dynamodb",
        endpoint_url=process.url,
        region_name="us-east-1",
        aws_access_key_id="a",
        aws_secret_access_key="b",
    )


def create(process: EngineProcess) -> None:
    client(process).create_table(
        TableName="Music",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )


def test_what_was_acknowledged_outlives_a_kill(tmp_path: Path) -> None:
    with EngineProcess(tmp_path / "data") as process:
        url, pid = process.url, process.pid
        create(process)
        process.kill()
        assert not process.running
        process.start()
        assert process.url == url
        assert process.pid != pid
        assert tables(process) == ["Music"]
    assert not process.running


def test_stopping_is_orderly_and_final() -> None:
    process = EngineProcess().start()
    assert tables(process) == []
    assert process.stop() == 0
    assert process.stop() == 0
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


def test_memory_is_forgotten() -> None:
    with EngineProcess() as process:
        create(process)
        assert tables(process) == ["Music"]
        process.stop()
        process.start()
        assert tables(process) == []


def test_a_start_that_fails_says_why(tmp_path: Path) -> None:
    with EngineProcess(tmp_path) as process:
        second = EngineProcess(tmp_path)
        with pytest.raises(StartFailed, match=f"in use by the process with pid {process.pid}"):
            second.start()
        assert not second.running


def test_further_arguments_are_handed_on() -> None:
    with pytest.raises(StartFailed, match="no-such-option"):
        EngineProcess(arguments=["--no-such-option"]).start()


def test_a_running_process_is_not_started_again() -> None:
    with EngineProcess() as process, pytest.raises(RuntimeError, match="running already"):
        process.start()
