"""Credentials: where they come from, when they are renewed, what is said if there are none."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from botocore.credentials import RefreshableCredentials

from tablewright.client.transports.credentials import (
    LOCAL,
    Chain,
    Credentials,
    find_credentials,
    find_region,
    from_environment,
)
from tablewright.client.transports.site import Site
from tablewright.model.errors import CredentialsError

KEYS = {"AWS_ACCESS_KEY_ID": "AK", "AWS_SECRET_ACCESS_KEY": "SK"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of botocore, and no machine role that it would ask the network for."""
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return tmp_path


def test_the_environment() -> None:
    assert from_environment({}) is None
    assert from_environment(KEYS) == Credentials("AK", "SK")
    found = from_environment({**KEYS, "AWS_SESSION_TOKEN": " T\n"})
    assert found == Credentials("AK", "SK", "T")
    for name in KEYS:
        with pytest.raises(CredentialsError, match=f"{name} is not set"):
            from_environment({**KEYS, name: ""})


def test_what_goes_first(home: Path) -> None:
    given = Credentials("given", "SK")
    assert find_credentials(given, environment=KEYS).current() == given
    assert find_credentials(None, environment=KEYS).current() == Credentials("AK", "SK")
    assert find_credentials(None, local=True, environment=KEYS).current() == Credentials("AK", "SK")
    assert find_credentials(None, local=True, environment={}).current() == LOCAL
    assert isinstance(find_credentials(None, profile="x", environment=KEYS), Chain)
    assert isinstance(find_credentials(None, local=True, environment={"AWS_PROFILE": "x"}), Chain)
    other = Chain()
    assert find_credentials(other, environment=KEYS) is other


@pytest.mark.parametrize("broken", ["", "A K", "A\r\nX: y", "Ä", "\x00"])
def test_keys_that_cannot_be(broken: str) -> None:
    with pytest.raises(CredentialsError):
        Credentials(broken, "SK")
    with pytest.raises(CredentialsError):
        Credentials("AK", "SK", broken)


def test_secrets_do_not_show() -> None:
    assert repr(Credentials("AK", "hush", "hush")) == "Credentials(access_key='AK')"


def test_a_profile(home: Path) -> None:
    (home / "credentials").write_text(
        "[default]\naws_access_key_id=D\naws_secret_access_key=S\n"
        "[staging]\naws_access_key_id=A\naws_secret_access_key=B\naws_session_token=C\n"
    )
    (home / "config").write_text("[profile staging]\nregion=eu-north-1\n")
    site = Site(profile="staging", environment=KEYS)
    assert site.region == "eu-north-1"
    assert site.credentials.current() is None  # not before they are needed
    assert site.credentials.fetch() == Credentials("A", "B", "C")
    assert site.credentials.current() == Credentials("A", "B", "C")
    assert find_credentials(None, environment={}).fetch() == Credentials("D", "S")


def test_credentials_that_were_replaced_on_disk(home: Path) -> None:
    file = home / "credentials"
    file.write_text("[default]\naws_access_key_id=OLD\naws_secret_access_key=S\n")
    chain = Chain()
    assert chain.fetch().access_key == "OLD"
    file.write_text("[default]\naws_access_key_id=NEW\naws_secret_access_key=S\n")
    assert chain.fetch().access_key == "OLD"
    chain.forget()
    assert chain.current() is None
    assert chain.fetch().access_key == "NEW"


def test_nothing_is_found(home: Path) -> None:
    with pytest.raises(CredentialsError, match="AWS_ACCESS_KEY_ID"):
        Chain().fetch()
    with pytest.raises(CredentialsError, match="nosuch"):
        Chain("nosuch").fetch()
    with pytest.raises(CredentialsError, match="AWS_REGION"):
        find_region(None, environment={})
    with pytest.raises(CredentialsError, match="nosuch"):
        find_region(None, profile="nosuch", environment={})


def test_botocore_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "botocore.session", None)
    for ask in (lambda: Chain().fetch(), lambda: find_region(None, environment={})):
        with pytest.raises(CredentialsError) as caught:
            ask()
        assert "pip install tablewright[aws]" in str(caught.value)
        assert "AWS_" in str(caught.value)


class Machine:
    """A session of botocore whose credentials expire."""

    def __init__(self) -> None:
        self.now = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
        self.monotonic = 0.0
        self.renewals = 0
        self.broken = False
        self.asked = 0

    def __call__(self, profile: str | None) -> Machine:
        return self

    def get_credentials(self) -> RefreshableCredentials:
        self.asked += 1
        return RefreshableCredentials(
            "AK0",
            "SK",
            "T0",
            self.now + dt.timedelta(hours=1),
            self.renew,
            "test",
            lambda: self.now,
        )

    def renew(self) -> dict[str, Any]:
        if self.broken:
            raise OSError("no route to the metadata service")
        self.renewals += 1
        expiry = (self.now + dt.timedelta(hours=1)).isoformat()
        key = f"AK{self.renewals}"
        return {"access_key": key, "secret_key": "SK", "token": "T", "expiry_time": expiry}

    def wait(self, minutes: float) -> None:
        self.now += dt.timedelta(minutes=minutes)
        self.monotonic += minutes * 60


def test_credentials_are_renewed_before_they_expire() -> None:
    machine = Machine()
    chain = Chain(session=machine, monotonic=lambda: machine.monotonic)
    first = chain.fetch()
    assert first.access_key == "AK0"
    assert chain.current() is first
    machine.wait(30)
    assert chain.current() is None  # to be asked again
    assert chain.fetch() is first
    machine.wait(20)  # 10 minutes are left
    assert chain.fetch().access_key == "AK1"
    assert (machine.asked, machine.renewals) == (1, 1)


def test_credentials_that_cannot_be_renewed() -> None:
    machine = Machine()
    chain = Chain(session=machine, monotonic=lambda: machine.monotonic)
    chain.fetch()
    machine.broken = True
    machine.wait(50)
    assert chain.fetch().access_key == "AK0"  # still good for 10 minutes
    machine.wait(15)
    with pytest.raises(CredentialsError, match="no route to the metadata service"):
        chain.fetch()
    machine.broken = False
    assert chain.fetch().access_key == "AK1"


def test_many_threads_ask_once() -> None:
    machine = Machine()
    chain = Chain(session=machine, monotonic=lambda: machine.monotonic)
    barrier = threading.Barrier(8)

    def fetch() -> None:
        barrier.wait()
        chain.fetch()

    threads = [threading.Thread(target=fetch) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert machine.asked == 1


def test_boto_stays_out() -> None:
    code = (
        "import os, sys; os.environ.update(AWS_ACCESS_KEY_ID='a', AWS_SECRET_ACCESS_KEY='b', "
        "AWS_REGION='eu-west-1'); from tablewright.client.transports import *; "
        "HttpTransport(); AsyncHttpTransport(); "
        "bad = {'botocore', 'aiohttp', 'urllib3', 'tablewright.engine'} & set(sys.modules); "
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
