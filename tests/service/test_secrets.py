"""What is kept of a secret, and how it is proved again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import bcrypt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright.service.keys import Keys
from tablewright.service.secrets import (
    Verdict,
    check_secret,
    hash_secret,
    new_secret,
    verify_secret,
)

#: Machines are busy at times.
unhurried = settings(deadline=None)
RING = Keys(None, {}).ring("pepper")
RIGHT = Verdict(ok=True, outdated=False)
WRONG = Verdict(ok=False, outdated=False)


def old_hash(secret: str, rounds: int = 4) -> str:
    return bcrypt.hashpw(secret.encode(), bcrypt.gensalt(rounds)).decode()


def test_secrets_are_long_and_never_the_same() -> None:
    made = {new_secret() for _ in range(1000)}
    assert len(made) == 1000
    assert {len(each) for each in made} == {43}


def test_a_secret_is_proved_by_its_hash() -> None:
    secret = new_secret()
    stored = hash_secret(RING, secret)
    version, kid, mac = stored.split("$")
    assert (version, kid, len(mac)) == ("h1", RING.current.kid, 64)
    assert secret not in stored
    assert verify_secret(RING, stored, secret) == RIGHT
    assert verify_secret(RING, stored, secret + "x") == WRONG
    assert verify_secret(RING, stored, "") == WRONG


def test_the_hash_is_worth_nothing_without_the_key() -> None:
    stored = hash_secret(RING, "secret")
    assert verify_secret(Keys(None, {}).ring("pepper"), stored, "secret") == WRONG


def test_a_hash_under_an_older_key_is_good_and_outdated(tmp_path: Path) -> None:
    keys = Keys(tmp_path, {})
    ring = keys.ring("pepper")
    stored = hash_secret(ring, "secret")
    keys.rotate("pepper")
    assert verify_secret(ring, stored, "secret") == Verdict(ok=True, outdated=True)
    assert verify_secret(ring, stored, "other") == WRONG
    assert verify_secret(ring, hash_secret(ring, "secret"), "secret") == RIGHT


def test_hashes_of_bcrypt_are_good_and_outdated() -> None:
    stored = old_hash("secret")
    for version in ("$2a$", "$2b$", "$2y$"):
        same = version + stored[4:]
        assert verify_secret(RING, same, "secret") == Verdict(ok=True, outdated=True)
        assert verify_secret(RING, same, "Secret") == WRONG


def test_bcrypt_does_not_ignore_the_end_of_a_long_secret() -> None:
    start = "x" * 72
    assert verify_secret(RING, old_hash(start), start).ok
    assert verify_secret(RING, old_hash(start), start + "anything") == WRONG


@unhurried
@given(stored=st.text(max_size=90), secret=st.text(max_size=90))
def test_any_two_texts_get_an_answer(stored: str, secret: str) -> None:
    assert verify_secret(RING, stored, secret) == WRONG


@pytest.mark.parametrize(
    "stored",
    [
        "",
        "$",
        "$$",
        "h1",
        "h1$$",
        "h1$KID$",
        "h2$KID$" + "0" * 64,
        "h1$KID$\ud800",
        "$2b$",
        "$2b$04$short",
        "$2b$99$" + "x" * 53,
        "$2b$04$" + "\ud800" * 53,
    ],
)
@pytest.mark.parametrize("secret", ["", "secret", "\ud800", "nul\0byte"])
def test_what_is_no_hash_proves_nothing(stored: str, secret: str) -> None:
    stored = stored.replace("KID", RING.current.kid)
    assert verify_secret(RING, stored, secret) == WRONG


def test_an_unknown_key_is_not_an_empty_one() -> None:
    import hmac

    forged = hmac.new(bytes(32), b"secret", "sha256").hexdigest()
    assert verify_secret(RING, f"h1$unknown${forged}", "secret") == WRONG


def test_others_go_on_while_bcrypt_works() -> None:
    stored = old_hash("secret", rounds=11)

    async def main() -> tuple[Verdict, int]:
        check = asyncio.create_task(check_secret(RING, stored, "secret"))
        turns = 0
        while not check.done():
            await asyncio.sleep(0.001)
            turns += 1
        return await check, turns

    verdict, turns = asyncio.run(main())
    assert verdict == Verdict(ok=True, outdated=True)
    assert turns > 3, "all but the first come while it works"
    assert asyncio.run(check_secret(RING, hash_secret(RING, "a"), "a")) == RIGHT
