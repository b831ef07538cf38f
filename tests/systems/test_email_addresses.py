"""The systems agree on which e-mail addresses they accept, and on which are the same."""

from __future__ import annotations

import hmac
from hashlib import sha256
from unittest.mock import Mock

import pytest
from pydantic import TypeAdapter, ValidationError

from tablewright.service.auth.principal import Principal
from tablewright.systems.kurukshetra.privacy.blind import BlindIndex
from tablewright.systems.kurukshetra.service import callers
from tablewright.systems.ladders.service.people import signing_in
from tablewright.systems.vibejudge.bodies.organizers import Email
from tablewright.systems.vibejudge.service.organizers import Organizers

KEY = b"k" * 32
ASHA = "asha@example.org"


def principal(email: str) -> Principal:
    claims = {"email": email, "email_verified": True}
    return Principal("sub", "Asha", "user", claims=claims)


def kurukshetra_key(text: str) -> str | None:
    address, _ = callers.address_in(principal(text))
    return None if address is None else BlindIndex(KEY).email(address)


def ladders_key(text: str) -> str | None:
    return signing_in.address_in(principal(text))


def vibejudge_key(text: str) -> str | None:
    try:
        address = TypeAdapter[str](Email).validate_python(text)
    except ValidationError:
        return None
    courtroom = Mock()
    courtroom.runtime.keys.secret.return_value = KEY
    return Organizers(courtroom)._email_hash(address)


KEYS = [kurukshetra_key, ladders_key, vibejudge_key]


@pytest.mark.parametrize(
    "text",
    [ASHA, "Asha@Example.ORG", f" {ASHA} ", f"mailto:{ASHA}", f"Asha Verma <{ASHA}>"],
)
def test_each_way_to_write_an_address_has_one_key_in_every_system(text: str) -> None:
    assert [key(text) for key in KEYS] == [key(ASHA) for key in KEYS]
    assert None not in [key(text) for key in KEYS]


@pytest.mark.parametrize("text", ["other@example.org", "asha+x@example.org", "äsha@example.org"])
def test_different_addresses_have_different_keys_in_every_system(text: str) -> None:
    assert all(key(text) not in (None, key(ASHA)) for key in KEYS)


@pytest.mark.parametrize(("upper", "lower"), [("ÄDA@Bücher.example", "äda@bücher.example")])
def test_case_of_letters_outside_ascii_is_ignored_in_every_system(upper: str, lower: str) -> None:
    assert [key(upper) for key in KEYS] == [key(lower) for key in KEYS]
    assert None not in [key(upper) for key in KEYS]


@pytest.mark.parametrize(
    "text",
    [
        *("\u212aelvin@example.org", "ａsha@example.org", "a@localhost", "a..b@example.org"),
        *(".a@example.org", "a@b#c.org", "a@b@c.org", "a@example.org.", "<a@b.c> x", "a@b/c.org"),
    ],
)
def test_text_that_is_no_address_is_refused_in_every_system(text: str) -> None:
    assert [key(text) for key in KEYS] == [None, None, None]


def test_keys_of_stored_ascii_addresses_stay_the_same() -> None:
    assert ladders_key("Asha@Example.org") == ASHA
    kurukshetra = hmac.new(KEY, b"email\0asha@example.org", sha256).digest()[:16].hex()
    assert kurukshetra_key("Asha@Example.org") == kurukshetra
    vibejudge = hmac.new(KEY, b"email\nasha@example.org", sha256).hexdigest()
    assert vibejudge_key("Asha@Example.org") == vibejudge


def test_stored_address_not_in_normal_form_keeps_its_hash() -> None:
    """Earlier versions accepted such addresses; erasing and listing must still find them."""
    expected = hmac.new(KEY, b"email\0asha@example.org", sha256).digest()[:16].hex()
    assert BlindIndex(KEY).email("ＡＳＨＡ@example.org") == expected
