"""Data keys from KMS: wrapped on disk, clear in memory alone, and bound to their purpose."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

import boto3
import pytest
from moto import mock_aws

from tablewright.service.keys import KeyFileError
from tablewright.systems.kurukshetra.privacy.cipher import FieldCipher, Place
from tablewright.systems.kurukshetra.privacy.kms import (
    KmsClient,
    KmsKeys,
    KmsPlace,
    WrappedFiles,
)
from tablewright.systems.kurukshetra.privacy.opening import INDEX, privacy_of

HERE = Place("pk", "sk", "email")


class Counting:
    """A client of KMS that counts what it is asked, and can be cut off."""

    def __init__(self, client: KmsClient) -> None:
        self.client = client
        self.asked: list[str] = []
        self.cut = False

    def generate_data_key(self, **request: object) -> Mapping[str, object]:
        return self._ask("generate_data_key", request)

    def decrypt(self, **request: object) -> Mapping[str, object]:
        return self._ask("decrypt", request)

    def _ask(self, name: str, request: dict[str, object]) -> Mapping[str, object]:
        if self.cut:
            raise ConnectionError("no route to KMS")
        self.asked.append(name)
        answer: Mapping[str, object] = getattr(self.client, name)(**request)
        return answer


@pytest.fixture
def kms() -> Iterator[tuple[Counting, str]]:
    with mock_aws():
        client = boto3.client(
            "kms", region_name="ap-south-1", aws_access_key_id="x", aws_secret_access_key="x"
        )
        yield Counting(client), client.create_key()["KeyMetadata"]["KeyId"]


def test_a_key_is_made_once_and_unwrapped_once(tmp_path: Path, kms: tuple[Counting, str]) -> None:
    client, key_id = kms
    made = KmsKeys(client, key_id, "fields", WrappedFiles(tmp_path))
    cipher = FieldCipher(made.ring)
    sealed = [cipher.seal(f"text {number}", HERE) for number in range(20)]
    assert client.asked == ["generate_data_key", "decrypt"]
    again = FieldCipher(KmsKeys(client, key_id, "fields", WrappedFiles(tmp_path)).ring)
    assert [again.open(each, HERE) for each in sealed] == [f"text {n}" for n in range(20)]
    assert client.asked == ["generate_data_key", "decrypt", "decrypt"]


def test_the_clear_key_is_not_on_disk(tmp_path: Path, kms: tuple[Counting, str]) -> None:
    keys = KmsKeys(*kms, "fields", WrappedFiles(tmp_path))
    secret = keys.ring.current.secret
    (file,) = tmp_path.iterdir()
    assert len(secret) == 32
    assert secret not in file.read_bytes()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_rotation_adds_a_key_and_old_texts_open(tmp_path: Path, kms: tuple[Counting, str]) -> None:
    keys = KmsKeys(*kms, "fields", WrappedFiles(tmp_path))
    cipher = FieldCipher(keys.ring)
    before = cipher.seal("Asha", HERE)
    kid = keys.rotate()
    after = cipher.seal("Asha", HERE)
    assert after.startswith(f"v1.{kid}.")
    assert cipher.outdated(before)
    assert cipher.open(before, HERE) == cipher.open(after, HERE) == "Asha"
    (tmp_path / "0001").unlink()  # retired: the next number is still a new one
    keys.rotate()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["0002", "0003"]


def test_a_key_of_another_purpose_does_not_unwrap(
    tmp_path: Path, kms: tuple[Counting, str]
) -> None:
    len(KmsKeys(*kms, "fields", WrappedFiles(tmp_path)).ring)
    with pytest.raises(KeyFileError, match="decrypt"):
        len(KmsKeys(*kms, "other", WrappedFiles(tmp_path)).ring)


def test_without_kms_a_process_with_its_keys_goes_on(
    tmp_path: Path, kms: tuple[Counting, str]
) -> None:
    keys = KmsKeys(*kms, "fields", WrappedFiles(tmp_path))
    sealed = FieldCipher(keys.ring).seal("Asha", HERE)
    keys.rotate()
    kms[0].cut = True
    keys.ring.renew()
    assert FieldCipher(keys.ring).open(sealed, HERE) == "Asha"
    with pytest.raises(KeyFileError, match="KMS did not"):
        len(KmsKeys(*kms, "fields", WrappedFiles(tmp_path)).ring)
    with pytest.raises(KeyFileError, match="KMS did not generate"):
        keys.rotate()


def test_a_whole_service_runs_on_kms(tmp_path: Path, kms: tuple[Counting, str]) -> None:
    place = KmsPlace(*kms, tmp_path)
    hashed = privacy_of(place).blind.email("asha@example.com")
    signed = place.signing("tickets").current
    place.rotate(INDEX)
    again = KmsPlace(*kms, tmp_path)
    assert privacy_of(again).blind.email("asha@example.com") == hashed
    assert again.signing("tickets").jwks() == {"keys": [signed.jwk()]}
