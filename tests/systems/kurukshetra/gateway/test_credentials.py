"""Keys: none are empty, none are shown, and none are used where they do not belong."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from tablewright.service.settings import SettingsError
from tablewright.systems.kurukshetra.gateway import BASE_URL, Credentials, Razorpay, check_place

SANDBOX = "http://127.0.0.1:8090"


def keys(key_id: str = "rzp_test_1", secret: str = "s3cret", hook: str = "h00k") -> Credentials:
    return Credentials(key_id, SecretStr(secret), SecretStr(hook))


@pytest.mark.parametrize("given", [("", "a", "b"), ("a", "", "b"), ("a", "b", "")])
def test_nothing_is_empty(given: tuple[str, str, str]) -> None:
    with pytest.raises(SettingsError):
        keys(*given)


def test_secrets_are_not_shown() -> None:
    assert "s3cret" not in repr(keys())
    assert "h00k" not in repr(keys())


@pytest.mark.parametrize(
    ("key_id", "url", "production", "fine"),
    [
        ("rzp_live_1", BASE_URL, True, True),
        ("rzp_test_1", BASE_URL, False, True),
        ("rzp_test_1", SANDBOX, False, True),
        ("rzp_live_1", BASE_URL, False, False),
        ("rzp_live_1", SANDBOX, True, False),
        ("rzp_test_1", SANDBOX, True, False),
        ("rzp_test_1", BASE_URL, True, False),
    ],
)
def test_money_is_where_it_belongs(key_id: str, url: str, production: bool, fine: bool) -> None:
    if fine:
        check_place(keys(key_id), url, production=production)
        return
    with pytest.raises(SettingsError):
        check_place(keys(key_id), url, production=production)


def test_keys_do_not_travel_in_the_clear() -> None:
    with pytest.raises(SettingsError, match="https"):
        Razorpay(keys(), base_url="http://api.razorpay.com")
