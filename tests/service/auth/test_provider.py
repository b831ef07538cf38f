"""Tokens of an OpenID Connect issuer, against a real one over HTTP."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from typing import Any, TypeVar

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.service.auth.issuer import AUDIENCE, Issuer, KeyPair, key_pair

from tablewright.clock import ManualClock
from tablewright.service.auth.claims import TokenError
from tablewright.service.auth.fetching import Fetcher
from tablewright.service.auth.provider import Provider
from tablewright.service.problems import Problem
from tablewright.service.settings import Issuer as IssuerSettings

T = TypeVar("T")
JWKS, DISCOVERY = "/jwks", "/.well-known/openid-configuration"


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with Issuer() as one:
        yield one


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def settings(issuer: Issuer, **other: Any) -> IssuerSettings:
    return IssuerSettings(**{"url": issuer.url, "audience": AUDIENCE, **other})


def with_provider(
    issuer: Issuer,
    clock: ManualClock,
    work: Callable[[Provider], Coroutine[Any, Any, T]],
    *,
    timeout: float = 5.0,
    **other: Any,
) -> T:
    async def main() -> T:
        provider = Provider(settings(issuer, **other), clock, Fetcher(timeout))
        try:
            return await work(provider)
        finally:
            await provider.close()

    return asyncio.run(main())


def claims_of(issuer: Issuer, token: str, clock: ManualClock | None = None) -> Mapping[str, object]:
    return with_provider(
        issuer, clock or ManualClock(), lambda provider: provider.bearer_claims(token)
    )


def id_claims_of(issuer: Issuer, token: str) -> Mapping[str, object]:
    """The same where a system takes ID tokens."""
    return with_provider(
        issuer, ManualClock(), lambda provider: provider.bearer_claims(token, "id")
    )


def refused(issuer: Issuer, token: str, match: str, clock: ManualClock | None = None) -> None:
    with pytest.raises(TokenError, match=match):
        claims_of(issuer, token, clock)


def encode(part: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


# --- good tokens -----------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["RS256", "ES256", "EdDSA"])
def test_a_good_token_is_believed(issuer: Issuer, algorithm: str) -> None:
    issuer.keys = [key_pair("other"), key_pair("k2", algorithm)]
    token = issuer.keys[1].sign(issuer.claims())
    assert claims_of(issuer, token)["sub"] == "ada"


def test_several_audiences_and_no_type_are_fine(issuer: Issuer) -> None:
    token = issuer.keys[0].sign(issuer.claims(aud=["another", AUDIENCE]), typ=None)
    assert claims_of(issuer, token)["sub"] == "ada"


def test_the_only_key_needs_no_name(issuer: Issuer) -> None:
    token = issuer.keys[0].sign(issuer.claims(), kid=None)
    assert claims_of(issuer, token)["sub"] == "ada"
    issuer.keys.append(key_pair("k2"))
    refused(issuer, token, "does not publish")


def test_an_issuer_may_end_with_a_slash(issuer: Issuer) -> None:
    issuer.slash = "/"
    assert claims_of(issuer, issuer.token())["iss"] == issuer.url + "/"
    refused(issuer, issuer.token(iss=issuer.url), "another issuer")


@pytest.mark.parametrize("slash", ["", "/"])
@pytest.mark.parametrize("jwks_url", [False, True])
def test_the_settings_may_end_with_a_slash_too(
    issuer: Issuer, clock: ManualClock, slash: str, jwks_url: bool
) -> None:
    issuer.slash, token = slash, issuer.token(iss=issuer.url + slash)
    found = with_provider(
        issuer,
        clock,
        lambda provider: provider.bearer_claims(token),
        url=issuer.url + "/",
        jwks_url=f"{issuer.url}/jwks" if jwks_url else None,
    )
    assert found["sub"] == "ada"


def test_keys_can_be_where_the_settings_say(issuer: Issuer, clock: ManualClock) -> None:
    issuer.faults[DISCOVERY] = "error"
    token = issuer.token()
    found = with_provider(
        issuer, clock, lambda provider: provider.bearer_claims(token), jwks_url=f"{issuer.url}/jwks"
    )
    assert found["sub"] == "ada"
    assert issuer.asked(DISCOVERY) == 0


# --- what a token says -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("other", "match"),
    [
        ({"iss": "https://evil.example"}, "another issuer"),
        ({"iss": None}, "another issuer"),
        ({"iss": ["https://evil.example"]}, "another issuer"),
        ({"iss": {}}, "another issuer"),
        ({"aud": "another"}, "another audience"),
        ({"aud": ["another"]}, "another audience"),
        ({"aud": None}, "another audience"),
        ({"aud": {"our-service": 1}}, "another audience"),
        ({"exp": None}, "never expires"),
        ({"exp": "soon"}, "not a number"),
        ({"exp": True}, "not a number"),
        ({"exp": float("inf")}, "not a number"),
        ({"exp": float("nan")}, "not a number"),
        ({"exp": 10**400}, "not a number"),
        ({"nbf": "later"}, "not a number"),
        ({"token_use": "id"}, "not an access token"),
        ({"typ": "Refresh"}, "not an access token"),
        ({"typ": "ID"}, "not an access token"),
    ],
)
def test_a_token_that_says_something_else_is_refused(
    issuer: Issuer, other: dict[str, object], match: str
) -> None:
    made = {
        name: value for name, value in {**issuer.claims(), **other}.items() if value is not None
    }
    refused(issuer, raw_signed(issuer.keys[0], made), match)


def raw_signed(key: KeyPair, claims: object, **header: object) -> str:
    """A signature over anything, also over what a JWT library would not sign."""
    from jwt.algorithms import get_default_algorithms

    head = {"alg": key.algorithm, "kid": key.kid, **header}
    text = f"{encode(head)}.{encode(claims)}"
    signature = get_default_algorithms()[key.algorithm].sign(text.encode(), key.private)
    return f"{text}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def test_a_token_lives_between_its_moments_with_a_minute_of_patience(
    issuer: Issuer, clock: ManualClock
) -> None:
    issuer.now = clock.now
    begin = int(clock.now())
    token = issuer.token(iat=begin, nbf=begin, exp=begin + 300)
    for moment, match in [
        (-61, "not valid yet"),
        (-59, ""),
        (0, ""),
        (359, ""),
        (360, "expired"),
        (10_000, "expired"),
    ]:
        clock.set(begin + moment)
        if match:
            refused(issuer, token, match, clock)
        else:
            assert claims_of(issuer, token, clock)["sub"] == "ada"


@pytest.mark.parametrize("kind", ["JWT", "at+jwt", "application/at+JWT"])
def test_types_of_access_tokens(issuer: Issuer, kind: str) -> None:
    assert claims_of(issuer, issuer.keys[0].sign(issuer.claims(), typ=kind))["sub"] == "ada"


@pytest.mark.parametrize("kind", ["logout+jwt", "secevent+jwt", "dpop+jwt", "id+jwt"])
def test_types_of_other_tokens(issuer: Issuer, kind: str) -> None:
    refused(issuer, issuer.keys[0].sign(issuer.claims(), typ=kind), "another type")


@pytest.mark.parametrize("claims", [[], "text", 7, None])
def test_a_signed_text_that_is_no_claims_is_refused(issuer: Issuer, claims: object) -> None:
    refused(issuer, raw_signed(issuer.keys[0], claims), "does not hold claims")


# --- ID tokens -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other", [{}, {"token_use": "id"}, {"typ": "ID"}, {"aud": ["another", AUDIENCE]}]
)
def test_a_system_may_take_id_tokens(issuer: Issuer, other: dict[str, object]) -> None:
    token = issuer.keys[0].sign(issuer.claims(**other), typ="JWT")
    assert id_claims_of(issuer, token)["sub"] == "ada"


@pytest.mark.parametrize(
    ("kind", "other", "match"),
    [
        ("JWT", {"token_use": "access"}, "not an ID token"),
        ("JWT", {"typ": "Bearer"}, "not an ID token"),
        ("JWT", {"typ": "Refresh"}, "not an ID token"),
        ("JWT", {"aud": "another"}, "another audience"),
        ("at+jwt", {}, "another type than an ID token"),
        ("logout+jwt", {}, "another type than an ID token"),
    ],
)
def test_which_then_takes_no_others(
    issuer: Issuer, kind: str, other: dict[str, object], match: str
) -> None:
    with pytest.raises(TokenError, match=match):
        id_claims_of(issuer, issuer.keys[0].sign(issuer.claims(**other), typ=kind))


# --- how it is signed ------------------------------------------------------------------------


def test_no_signature_is_no_signature(issuer: Issuer) -> None:
    for algorithm in ("none", "None", "NONE", "nOnE"):
        head = {"alg": algorithm, "typ": "JWT", "kid": "k1"}
        for tail in ("", "AAAA"):
            token = f"{encode(head)}.{encode(issuer.claims())}.{tail}"
            refused(issuer, token, "not allowed|not a token")


@pytest.mark.parametrize("form", ["pem", "der", "jwk"])
def test_a_public_key_is_not_taken_for_a_shared_secret(issuer: Issuer, form: str) -> None:
    public = issuer.keys[0].private.public_key()
    secret = {
        "pem": public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        "der": public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
        "jwk": json.dumps(issuer.keys[0].jwk()).encode(),
    }[form]
    text = f"{encode({'alg': 'HS256', 'kid': 'k1'})}.{encode(issuer.claims())}"
    mac = hmac.new(secret, text.encode(), hashlib.sha256).digest()
    token = f"{text}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"
    refused(issuer, token, "not allowed")


def test_a_published_shared_secret_is_no_key(issuer: Issuer) -> None:
    k = base64.urlsafe_b64encode(b"x" * 32).rstrip(b"=").decode()
    issuer.entries = [{"kty": "oct", "kid": "shared", "k": k, "alg": "HS256", "use": "sig"}]
    text = f"{encode({'alg': 'HS256', 'kid': 'shared'})}.{encode(issuer.claims())}"
    mac = hmac.new(b"x" * 32, text.encode(), hashlib.sha256).digest()
    token = f"{text}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"
    refused(issuer, token, "not allowed")


def test_a_token_does_not_choose_its_keys_algorithm(issuer: Issuer) -> None:
    issuer.keys = [key_pair(), key_pair("curve", "ES256")]
    claims = issuer.claims()
    refused(issuer, raw_signed(issuer.keys[1], claims, kid="k1"), "another way")
    refused(issuer, raw_signed(issuer.keys[0], claims, kid="curve"), "another way")
    refused(issuer, raw_signed(issuer.keys[0], claims, alg="PS256"), "not allowed")


def test_a_key_of_somebody_else_under_a_known_name_is_refused(issuer: Issuer) -> None:
    thief = KeyPair("k1", "RS256", key_pair("thief").private)
    refused(issuer, thief.sign(issuer.claims()), "signature is wrong")


def test_keys_inside_a_token_are_not_looked_at(issuer: Issuer) -> None:
    thief = key_pair("thief")
    claims = issuer.claims()
    for header in (
        {"jwk": thief.jwk()},
        {"jku": f"{issuer.url}/evil"},
        {"x5u": f"{issuer.url}/evil"},
        {"kid": "../../../dev/null"},
        {"kid": "k1' OR '1'='1"},
        {"kid": ["k1"]},
        {"kid": {"k1": 1}},
    ):
        issuer.requests.clear()
        refused(issuer, raw_signed(thief, claims, **header), "does not publish|wrong|not a token")
        assert "/evil" not in issuer.requests


@pytest.mark.parametrize("algorithm", [["EdDSA"], {}, {"EdDSA": 1}, 7, True, None])
def test_an_algorithm_that_is_no_name_is_refused(issuer: Issuer, algorithm: object) -> None:
    token = raw_signed(issuer.keys[0], issuer.claims(), alg=algorithm)
    refused(issuer, token, "not allowed|not a token")


def test_extensions_that_must_be_understood_are_refused(issuer: Issuer) -> None:
    token = raw_signed(issuer.keys[0], issuer.claims(), crit=["exp"])
    refused(issuer, token, "extensions|not a token")


@pytest.mark.parametrize("change", ["claims", "header", "signature"])
def test_a_changed_token_is_refused(issuer: Issuer, change: str) -> None:
    head, body, signature = issuer.token().split(".")
    if change == "claims":
        body = encode({**issuer.claims(), "roles": ["*:admin"]})
    elif change == "header":
        head = encode({"alg": "RS256", "kid": "k1", "typ": "JWT", "extra": 1})
    else:
        signature = signature[:-8] + ("AAAAAAAA" if signature[-8:] != "AAAAAAAA" else "BBBBBBBB")
    refused(issuer, f"{head}.{body}.{signature}", "signature is wrong")


@pytest.mark.parametrize(
    "text",
    [
        *("", ".", "..", "a.b", "a.b.c", "e30.e30.e30", "é.é.é", "\0", "x" * 20_000),
        f"{base64.urlsafe_b64encode(b'[' * 6000).decode().rstrip('=')}.e30.AA",
    ],
)
def test_what_is_no_token_is_refused(issuer: Issuer, text: str) -> None:
    refused(issuer, text, "not a token|too long|not allowed")
    assert issuer.requests == [], "and nobody is asked about it"


# --- which keys ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"use": "enc"},
        {"alg": "RS512"},
        {"alg": "RSA-OAEP"},
        {"key_ops": ["encrypt"]},
        {"key_ops": None},
        {"key_ops": 7},
        {"use": ["sig"]},
        {"n": "!!"},
        {"n": 7},
        {"n": None},
        {"kty": "EC", "crv": "P-521", "x": "AA", "y": "AA"},
        {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "alg": "ES256"},
        {"kty": "oct"},
        {"kty": None},
    ],
)
def test_keys_that_cannot_be_used_are_left_out(issuer: Issuer, change: dict[str, Any]) -> None:
    issuer.entries = ["k2", None, 7, {}, {**key_pair("k2").jwk(), **change}]
    refused(issuer, key_pair("k2").sign(issuer.claims()), "does not publish")
    assert claims_of(issuer, issuer.token())["sub"] == "ada", "the others still work"


@pytest.mark.filterwarnings("ignore:The RSA key is 1024")
def test_weak_keys_are_left_out(issuer: Issuer) -> None:
    issuer.keys = [key_pair("weak", "RS256", 1024)]
    refused(issuer, issuer.token(), "does not publish")


def test_two_keys_of_one_name_are_none(issuer: Issuer) -> None:
    issuer.keys = [key_pair("k1"), KeyPair("k1", "RS256", key_pair("k2").private)]
    for key in issuer.keys:
        refused(issuer, key.sign(issuer.claims()), "does not publish")


def test_a_published_private_key_is_used_as_a_public_one(issuer: Issuer) -> None:
    numbers = key_pair("k2").private.private_numbers()
    d = base64.urlsafe_b64encode(numbers.d.to_bytes(256, "big")).rstrip(b"=").decode()
    issuer.entries = [key_pair("k2").jwk(d=d)]
    assert claims_of(issuer, key_pair("k2").sign(issuer.claims()))["sub"] == "ada"


# --- rotation and trouble --------------------------------------------------------------------


def test_keys_are_fetched_once(issuer: Issuer, clock: ManualClock) -> None:
    async def work(provider: Provider) -> None:
        await asyncio.gather(*(provider.bearer_claims(issuer.token()) for _ in range(50)))
        for _ in range(50):
            await provider.bearer_claims(issuer.token())

    issuer.now = clock.now
    with_provider(issuer, clock, work)
    assert issuer.asked(JWKS) == 1
    assert issuer.asked(DISCOVERY) == 1


def test_a_rotation_is_noticed_by_the_first_token(issuer: Issuer, clock: ManualClock) -> None:
    async def work(provider: Provider) -> None:
        old = issuer.token()
        await provider.bearer_claims(old)
        issuer.keys = [key_pair("k2"), *issuer.keys]
        clock.advance(10)
        assert (await provider.bearer_claims(issuer.token()))["sub"] == "ada"
        assert (await provider.bearer_claims(old))["sub"] == "ada"
        issuer.keys = [key_pair("k3")]
        clock.advance(10)
        assert (await provider.bearer_claims(issuer.token()))["sub"] == "ada"
        with pytest.raises(TokenError, match="does not publish"):
            await provider.bearer_claims(old)

    issuer.now = clock.now
    with_provider(issuer, clock, work)


def test_made_up_kids_do_not_make_it_ask_again_and_again(
    issuer: Issuer, clock: ManualClock
) -> None:
    async def work(provider: Provider) -> None:
        for number in range(100):
            token = KeyPair(f"made up {number}", "RS256", key_pair().private)
            with pytest.raises(TokenError):
                await provider.bearer_claims(token.sign(issuer.claims()))
            clock.advance(0.1)

    issuer.now = clock.now
    with_provider(issuer, clock, work)
    assert issuer.asked(JWKS) <= 4, "ten seconds, and not more often than every five"


def test_old_keys_are_renewed_without_anybody_waiting(issuer: Issuer, clock: ManualClock) -> None:
    async def work(provider: Provider) -> None:
        token = issuer.token(exp=int(clock.now()) + 100_000)
        await provider.bearer_claims(token)
        issuer.faults[JWKS] = "slow"
        clock.advance(3601)
        await provider.bearer_claims(token)
        assert not issuer.released.is_set(), "the new ones are still on their way"
        while issuer.asked(JWKS) < 2:
            await asyncio.sleep(0.01)
        issuer.keys = [key_pair("k2")]
        issuer.released.set()
        while provider._keys._under_way is not None:
            await asyncio.sleep(0.01)
        issuer.faults[JWKS] = "error"
        assert (await provider.bearer_claims(issuer.token()))["sub"] == "ada"

    issuer.now = clock.now
    with_provider(issuer, clock, work)


@pytest.mark.parametrize("path", [JWKS, DISCOVERY])
@pytest.mark.parametrize(
    "fault", ["drop", "error", "garbage", "list", "huge", "redirect", "slow", "trickle"]
)
def test_an_issuer_in_trouble_is_a_problem_that_says_so(
    issuer: Issuer, clock: ManualClock, path: str, fault: str
) -> None:
    issuer.now = clock.now
    issuer.faults[path] = fault

    async def work(provider: Provider) -> None:
        begun = time.perf_counter()
        with pytest.raises(Problem) as caught:
            await provider.bearer_claims(issuer.token())
        assert (caught.value.status, caught.value.code) == (503, "ISSUER_UNAVAILABLE")
        assert caught.value.headers["Retry-After"]
        assert time.perf_counter() - begun < 5
        asked = len(issuer.requests)
        for _ in range(20):
            with pytest.raises(Problem):
                await provider.bearer_claims(issuer.token())
        assert len(issuer.requests) == asked, "it is left alone for a moment"
        issuer.faults.clear()
        clock.advance(5)
        assert (await provider.bearer_claims(issuer.token()))["sub"] == "ada"

    with_provider(issuer, clock, work, timeout=0.3)


def test_known_keys_outlive_their_issuer_for_a_day(issuer: Issuer, clock: ManualClock) -> None:
    issuer.now = clock.now
    begin = clock.now()

    async def work(provider: Provider) -> None:
        await provider.bearer_claims(issuer.token())
        issuer.faults.update({JWKS: "drop", DISCOVERY: "drop"})
        for hours in (1, 12, 23):
            clock.set(begin + hours * 3600 + 100)
            assert (await provider.bearer_claims(issuer.token()))["sub"] == "ada"
        clock.set(begin + 25 * 3600)
        with pytest.raises(Problem) as caught:
            await provider.bearer_claims(issuer.token())
        assert caught.value.code == "ISSUER_UNAVAILABLE"

    with_provider(issuer, clock, work, timeout=0.5)


def test_nobody_at_the_issuers_address_is_a_problem_that_says_so(clock: ManualClock) -> None:
    with Issuer() as gone:
        token = gone.token()

    async def work(provider: Provider) -> None:
        with pytest.raises(Problem) as caught:
            await provider.bearer_claims(token)
        assert caught.value.code == "ISSUER_UNAVAILABLE"

    with_provider(gone, clock, work)


def test_an_unknown_kid_while_the_issuer_is_down_is_not_held_against_anybody(
    issuer: Issuer, clock: ManualClock
) -> None:
    async def work(provider: Provider) -> None:
        await provider.bearer_claims(issuer.token())
        issuer.faults[JWKS] = "error"
        clock.advance(10)
        with pytest.raises(Problem) as caught:
            await provider.bearer_claims(key_pair("k9").sign(issuer.claims()))
        assert caught.value.code == "ISSUER_UNAVAILABLE"

    issuer.now = clock.now
    with_provider(issuer, clock, work)


def test_a_document_of_another_issuer_is_not_believed(issuer: Issuer, clock: ManualClock) -> None:
    issuer.discovery = {"issuer": "https://evil.example"}

    async def work(provider: Provider) -> None:
        with pytest.raises(Problem):
            await provider.bearer_claims(issuer.token(iss="https://evil.example"))

    with_provider(issuer, clock, work)


@pytest.mark.parametrize("url", ["http://keys.example.org/jwks", "file:///etc/passwd", "", 7])
def test_keys_are_not_fetched_from_just_anywhere(
    issuer: Issuer, clock: ManualClock, url: object
) -> None:
    issuer.discovery = {"jwks_uri": url}

    async def work(provider: Provider) -> None:
        with pytest.raises(Problem):
            await provider.bearer_claims(issuer.token())

    with_provider(issuer, clock, work)


def test_who_stops_waiting_does_not_stop_the_others(issuer: Issuer, clock: ManualClock) -> None:
    issuer.now = clock.now
    issuer.faults[JWKS] = "slow"

    async def work(provider: Provider) -> None:
        first = asyncio.create_task(provider.bearer_claims(issuer.token()))
        second = asyncio.create_task(provider.bearer_claims(issuer.token()))
        while not issuer.asked(JWKS):
            await asyncio.sleep(0.01)
        first.cancel()
        issuer.released.set()
        assert (await second)["sub"] == "ada"
        assert issuer.asked(JWKS) == 1

    with_provider(issuer, clock, work)
