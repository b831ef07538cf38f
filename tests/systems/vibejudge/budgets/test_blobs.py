"""What models answered, whole, for 90 days."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest
from tests.systems.vibejudge.support import courtroom_on, run

from tablewright.clock import ManualClock
from tablewright.service.settings import SettingsError
from tablewright.systems.vibejudge.service.blobs import answers_key
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.testing.backends import Backend

KEY = answers_key("HACK", "SUB", "RUN", "innovation")
OTHER = answers_key("HACK2", "SUB", "RUN", "innovation")


async def used(courtroom: Courtroom) -> None:
    """Put, got, replaced, erased: the same wherever they are."""
    blobs = courtroom.blobs
    assert await blobs.get(KEY) is None
    await blobs.put(KEY, b"first")
    await blobs.put(KEY, b"second\xff")
    await blobs.put(OTHER, b"stays")
    assert await blobs.get(KEY) == b"second\xff"
    assert await blobs.erase("answers/HACK") == 1
    assert await blobs.get(KEY) is None
    assert await blobs.get(OTHER) == b"stays"
    for bad in ("../etc/passwd", "/etc/passwd", "a//b", "a/../b", "", ".hidden"):
        with pytest.raises(ValueError, match="name of a blob"):
            await blobs.get(bad)


def test_in_the_data_folder(engine_backend: Backend, clock: ManualClock, tmp_path: Path) -> None:
    async def check() -> None:
        async with courtroom_on(engine_backend, clock, data=tmp_path, opened=True) as courtroom:
            await used(courtroom)
            clock.advance(timedelta(days=89).total_seconds())
            await courtroom.blobs.put(KEY, b"younger")
            assert await courtroom.blobs.sweep() == 0
            clock.advance(timedelta(days=1, seconds=1).total_seconds())
            assert await courtroom.blobs.sweep() == 1
            assert await courtroom.blobs.get(KEY) == b"younger"
            assert await courtroom.blobs.get(OTHER) is None

    run(check())
    (left,) = [each for each in (tmp_path / "blobs").rglob("*") if each.is_file()]
    assert left == tmp_path / "blobs" / "vibejudge" / KEY
    assert left.stat().st_mode & 0o777 == 0o600
    assert not (tmp_path / "blobs" / "vibejudge" / "answers" / "HACK2").exists()


def test_without_a_data_folder(engine_backend: Backend, clock: ManualClock) -> None:
    async def check() -> None:
        async with courtroom_on(engine_backend, clock, opened=True) as courtroom:
            await used(courtroom)

    run(check())


def test_an_address_that_is_none(engine_backend: Backend, clock: ManualClock) -> None:
    async def check() -> None:
        async with courtroom_on(engine_backend, clock, opened=True, blobs="http://x"):
            pass

    with pytest.raises(SettingsError, match="s3://bucket/prefix"):
        run(check())


@pytest.mark.slow
def test_in_a_bucket(
    engine_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    import boto3
    from moto import mock_aws

    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")

    async def check() -> None:
        place = "s3://answers-of-models/kept/here"
        async with courtroom_on(engine_backend, clock, opened=True, blobs=place) as courtroom:
            await used(courtroom)
            s3 = boto3.client("s3")
            listed = s3.list_objects_v2(Bucket="answers-of-models")["Contents"]
            assert [each["Key"] for each in listed] == [f"kept/here/{OTHER}"]
            clock.set(listed[0]["LastModified"].timestamp() + 89 * 86_400)
            assert await courtroom.blobs.sweep() == 0
            clock.advance(2 * 86_400)
            assert await courtroom.blobs.sweep() == 1

    with mock_aws():
        boto3.client("s3").create_bucket(Bucket="answers-of-models")
        run(check())
