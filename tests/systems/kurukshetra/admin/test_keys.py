"""Where keys come from: with ``kms_key`` they are wrapped on disk, and all is sealed under them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from moto import mock_aws
from tests.systems.kurukshetra.support import (
    ADMIN,
    EVENT,
    event_made,
    festival_on,
    registered,
    run,
)

from tablewright.clock import ManualClock
from tablewright.service.settings import SettingsError
from tablewright.systems.kurukshetra.privacy.kms import KmsPlace
from tablewright.systems.kurukshetra.privacy.opening import FIELDS
from tablewright.testing import Backend

REGION = "ap-south-1"


@pytest.fixture
def kms_key(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    with mock_aws():
        client = boto3.client("kms", region_name=REGION)
        yield str(client.create_key()["KeyMetadata"]["KeyId"])


def test_a_process_with_kms_seals_under_wrapped_keys_and_rotates_them(
    engine_backend: Backend, clock: ManualClock, tmp_path: Path, kms_key: str
) -> None:
    async def main() -> None:
        options = {"kms_key": kms_key, "kms_region": REGION}
        async with festival_on(engine_backend, clock, data=tmp_path, **options) as festival:
            assert isinstance(festival.keys, KmsPlace)
            await event_made(festival)
            asha = await registered(festival, EVENT, "asha")
            kid = await festival.resealing.rotate(ADMIN)
            assert (await festival.resealing.run()).kinds["Participant"] == 1
            assert set(await festival.resealing.under()) >= {kid}
        # Another process unwraps the same keys.
        async with festival_on(engine_backend, clock, data=tmp_path, **options) as festival:
            view = await festival.people.read(asha, asha.participant())
            assert (view.email, view.first_name) == ("asha@people.test", "Asha")
            raw = b"".join(e.read_bytes() for e in tmp_path.rglob("*") if e.is_file())
            clear = [key.secret for key in festival.keys.ring(FIELDS)]
            assert len(clear) == 2
            assert not any(each in raw or each.hex().encode() in raw for each in clear)

    run(main())


def test_kms_without_a_place_for_wrapped_keys_stops_the_start(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(engine_backend, clock, kms_key="alias/people"):
            raise AssertionError("it started")

    with pytest.raises(SettingsError, match="data folder"):
        run(main())
