"""What people with bad intentions send, to the whole service behind its port."""

from __future__ import annotations

import csv
import io
import json
import logging
import re
import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import uuid4

import pytest
from tests.service.good_requests import JSON, UNREADABLE, told
from tests.systems.pricekeeper.api_requests import MAY, good_request
from tests.systems.pricekeeper.api_world import (
    API,
    AUTH,
    MOBILE,
    WEB,
    Tenant,
    World,
    correction,
    org_body,
    report,
    world,
)


@pytest.fixture(scope="module")
def service() -> Iterator[World]:
    with world() as found:
        yield found


@pytest.fixture(scope="module")
def tenant(service: World) -> Tenant:
    return service.tenant()


@pytest.fixture(scope="module")
def operations(service: World) -> list[tuple[str, str, dict[str, Any]]]:
    """The name, the path and the document of each."""
    document = service.http.get("/pricekeeper/openapi.json").json()
    return [
        (operation["operationId"], path, operation)
        for path, found in document["paths"].items()
        for operation in found.values()
    ]


def caller_of(name: str) -> str:
    """Somebody who may: a client if there is one."""
    return next(who for who in ("app", "org", "admin") if who in MAY[name])


# --- addresses -----------------------------------------------------------------------------------

FORGED = (
    "a#LABEL#b",
    f"{WEB}#LABEL#premium",
    f"{WEB}#SH#0",
    "_all",
    "-web",
    "WEB",
    "we\u200bb",
    "web\x00",
    "web\n",
    "a" * 64,
    "%23",
    "😀",
)


@pytest.mark.parametrize("forged", FORGED)
def test_scenario_17_no_name_in_an_address_forges_a_key(
    forged: str,
    service: World,
    tenant: Tenant,
    operations: list[tuple[str, str, dict[str, Any]]],
) -> None:
    sent = 0
    for name, path, _ in operations:
        for place, real, codes in (
            ("{app_id}", WEB, {"BAD_APP_ID"}),
            ("{org_id}", tenant.org_id, {"BAD_ORG_ID"}),
            ("{label}", "premium", {"BAD_LABEL"}),
        ):
            if place in path and not _makes_something(name):
                request = good_request(name, service, tenant)
                address = request.path.replace(f"/{real}", f"/{quote(forged, safe='')}", 1)
                answer = service.http.request(
                    request.method,
                    address,
                    json=request.body,
                    params=dict(request.parameters),
                    headers=service.headers(caller_of(name), tenant),
                )
                status, code = told(answer)
                assert (status, code) in {(400, each) for each in codes}, (name, address)
                sent += 1
    assert sent > 30


def _makes_something(name: str) -> bool:
    """Whose good requests cost something to make; their addresses are read by the same code."""
    return name in ("release_reservation", "refresh_token", "revoke_token")


@pytest.mark.parametrize(
    "path",
    [
        "/apps/web%2F..%2Fmobile/model-selection",
        "/apps/web/../mobile/model-selection",
        "//apps/web/model-selection",
        "/apps/web/model-selection/",
        "/apps//model-selection",
        "/apps/web/model-selection;x=1",
        "/apps/web%5C/model-selection",
    ],
)
def test_addresses_are_taken_as_they_are(path: str, service: World, tenant: Tenant) -> None:
    """Nothing is cleaned up on the way to something else."""
    place = urlsplit(service.service.url)
    line = HTTPConnection(place.hostname or "", place.port, timeout=10)  # sends what it is given
    try:
        line.request("GET", f"{tenant.path}{path}", headers=service.headers("app", tenant))
        answer = line.getresponse()
        found = json.loads(answer.read())
    finally:
        line.close()
    assert (answer.status, found["code"]) in {(404, "NOT_FOUND"), (400, "BAD_APP_ID")}


def test_an_app_that_nobody_made_has_no_quota(service: World, tenant: Tenant) -> None:
    for method, path, body in (
        ("GET", "model-selection", None),
        ("POST", "costs", report("premium")),
        ("POST", "reservations", {"label": "premium", "max_usd_micros": 1}),
        ("GET", "aggregates/today", None),
    ):
        address = f"{tenant.path}/apps/invented/{path}"
        headers = service.headers("org", tenant)
        answer = service.http.request(method, address, json=body, headers=headers)
        assert told(answer) == (404, "NOT_FOUND")


# --- other tenants -------------------------------------------------------------------------------


def test_what_belongs_to_others_is_not_there(service: World, tenant: Tenant) -> None:
    other, headers = service.foreign, service.headers("app", tenant)
    found = service.http.get(f"{tenant.app_path}/costs/{other.records[0]}", headers=headers)
    assert told(found) == (404, "NOT_FOUND")
    path = f"{tenant.app_path}/reservations/{other.reservation_ids[0]}"
    assert told(service.http.delete(path, headers=headers)) == (404, "NOT_FOUND")
    theirs = report("premium", reservation_id=other.reservation_ids[0])
    answer = service.http.post(f"{tenant.app_path}/costs", json=theirs, headers=headers)
    assert told(answer) == (422, "BAD_RESERVATION")
    body = correction(other.records[0])
    answer = service.http.post(f"{tenant.app_path}/corrections", json=body, headers=service.admin)
    assert told(answer) == (404, "NOT_FOUND")


def test_of_the_same_organisation_too(service: World, tenant: Tenant) -> None:
    mine = f"{tenant.path}/apps/{MOBILE}"
    headers = service.headers("other app", tenant)
    found = service.http.get(f"{mine}/costs/{tenant.records[0]}", headers=headers)
    assert told(found) == (404, "NOT_FOUND")
    path = f"{mine}/reservations/{tenant.reservation_ids[0]}"
    assert told(service.http.delete(path, headers=headers)) == (404, "NOT_FOUND")
    theirs = report("premium", reservation_id=tenant.reservation_ids[0])
    assert told(service.http.post(f"{mine}/costs", json=theirs, headers=headers)) == (
        422,
        "BAD_RESERVATION",
    )


def test_an_id_is_somebody_elses_in_another_organisation(service: World, tenant: Tenant) -> None:
    """It counts there, and leaves ours alone."""
    mine = report("premium")
    for each, other in ((tenant, mine), (service.foreign, {**mine, "input_tokens": 7})):
        answer = service.as_(each.tokens[WEB], "POST", f"{each.app_path}/costs", other)
        assert answer["result"] == "recorded"


# --- reports -------------------------------------------------------------------------------------


def test_a_cost_that_is_made_up_is_only_compared(service: World, tenant: Tenant) -> None:
    honest = service.as_(tenant.tokens[WEB], "POST", f"{tenant.app_path}/costs", report("premium"))
    forged = report("premium", cost_usd_micros=1)
    answer = service.as_(tenant.tokens[WEB], "POST", f"{tenant.app_path}/costs", forged)
    assert answer["cost_usd_micros"] == honest["cost_usd_micros"] > 1
    assert (answer["cost_source"], answer["flags"]) == ("PRICE", ["cost_mismatch"])


def test_an_id_with_another_payload_is_refused(service: World, tenant: Tenant) -> None:
    sent = report("premium")
    url, headers = f"{tenant.app_path}/costs", service.headers("app", tenant)
    assert service.http.post(url, json=sent, headers=headers).status_code == 201
    before = _spent(service, tenant)
    for change in ({"input_tokens": 1}, {"status": "ERROR"}, {"label": "economy"}):
        answer = service.http.post(url, json={**sent, **change}, headers=headers)
        assert told(answer) == (409, "REQUEST_ID_REUSED")
    assert service.http.post(url, json=sent, headers=headers).status_code == 200
    assert _spent(service, tenant) == before


def _spent(service: World, tenant: Tenant) -> Any:
    found = service.done("GET", f"{tenant.app_path}/aggregates/today")
    return found["totals"], found["models"]


@pytest.mark.parametrize(
    ("shift", "accepted"),
    [
        (timedelta(minutes=4), True),
        (timedelta(minutes=6), False),
        (timedelta(days=365), False),
        (-timedelta(hours=47), True),
        (-timedelta(hours=49), False),
        (-timedelta(days=20_000), False),
    ],
)
def test_a_clock_may_be_wrong_by_minutes(
    shift: timedelta, accepted: bool, service: World, tenant: Tenant
) -> None:
    at = datetime.now(UTC).replace(microsecond=0) + shift
    for moment in (at.isoformat(), int(at.timestamp())):
        sent = report("premium", timestamp=moment)
        headers = service.headers("app", tenant)
        answer = service.http.post(f"{tenant.app_path}/costs", json=sent, headers=headers)
        if accepted:
            assert answer.status_code == 201
            assert answer.json()["day"] == at.date().isoformat()
        else:
            assert told(answer) == (422, "OUTSIDE_WINDOW")


def test_a_batch_that_is_too_large_counts_nothing(service: World, tenant: Tenant) -> None:
    before = _spent(service, tenant)
    url, headers = f"{tenant.app_path}/costs/batch", service.headers("app", tenant)
    records = [report("premium") for _ in range(501)]
    answer = service.http.post(url, json={"records": records}, headers=headers)
    assert told(answer) == (413, "TOO_MANY_RECORDS")
    padded = json.dumps({"records": records[:500]}).encode() + b" " * 2**20
    answer = service.http.post(url, content=padded, headers={**headers, "Content-Type": JSON})
    assert told(answer) == (413, "TOO_LARGE")
    assert _spent(service, tenant) == before


def test_what_only_shows_that_it_is_too_large_is_no_fault_of_ours(
    service: World, tenant: Tenant, caplog: pytest.LogCaptureFixture
) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(40):
            yield b" " * 65536

    for name in ("costs", "costs/batch", "reservations"):
        headers = {**service.headers("app", tenant), "Content-Type": JSON}
        url = f"{tenant.app_path}/{name}"
        answer = service.http.post(url, content=endless(), headers=headers)
        assert told(answer) == (413, "TOO_LARGE")
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


def test_who_leaves_in_the_middle_is_no_fault_of_ours(
    service: World, tenant: Tenant, caplog: pytest.LogCaptureFixture
) -> None:
    place = urlsplit(service.service.url)
    before = _spent(service, tenant)
    for path in ("costs", "costs/batch", "reservations"):
        with socket.create_connection((place.hostname, place.port), timeout=10) as line:
            head = [
                f"POST {tenant.app_path}/{path} HTTP/1.1",
                f"Host: {place.netloc}",
                *(f"{name}: {each}" for name, each in service.headers("app", tenant).items()),
                f"Content-Type: {JSON}",
                "Content-Length: 1000",
            ]
            line.sendall("\r\n".join([*head, "", '{"records": [']).encode())
            time.sleep(0.1)
    assert service.http.get("/health").status_code == 200
    assert _spent(service, tenant) == before
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


# --- bodies --------------------------------------------------------------------------------------

#: Routes whose body may be absent.
OPTIONAL = ("rotate_org_secret", "rotate_app_secret")


@pytest.mark.parametrize("kind", UNREADABLE)
def test_bodies_that_nobody_can_read(
    kind: str, service: World, tenant: Tenant, operations: list[tuple[str, str, dict[str, Any]]]
) -> None:
    content, media_type = UNREADABLE[kind]
    for name, _, operation in operations:
        if "requestBody" not in operation or name in OPTIONAL:
            continue
        if kind == "a mark" and name.startswith("patch_"):
            continue  # it is an empty object, and changes nothing
        request = good_request(name, service, tenant)
        answer = service.http.request(
            request.method,
            request.path,
            content=content,
            headers={
                **request.headers,
                **service.headers(caller_of(name), tenant),
                "Content-Type": media_type,
            },
        )
        status, _ = told(answer)
        wanted = (400, 422) if media_type == JSON else (415,)
        assert status in wanted, (name, answer.text)


def test_what_is_said_twice_is_said_once(service: World, tenant: Tenant) -> None:
    """Of a name that comes twice in a body the last counts, as everywhere; nothing is mixed."""
    first, last = str(uuid4()), str(uuid4())
    at = int(datetime.now(UTC).timestamp())
    content = (
        f'{{"request_id": "{first}", "label": "premium", "timestamp": {at}, '
        f'"input_tokens": 5, "request_id": "{last}"}}'
    )
    headers = {**service.headers("app", tenant), "Content-Type": JSON}
    answer = service.http.post(f"{tenant.app_path}/costs", content=content, headers=headers)
    assert answer.json()["request_id"] == last
    gone = service.http.get(f"{tenant.app_path}/costs/{first}", headers=headers)
    assert told(gone) == (404, "NOT_FOUND")


@pytest.mark.parametrize(
    "change",
    [
        {"quotas": {"premium": True, "standard": 1, "economy": 1}},
        {"quotas": {"premium": "1000", "standard": 1, "economy": 1}},
        {"quotas": {"premium": 1.5, "standard": 1, "economy": 1}},
        {"quotas": {"premium": -1, "standard": 1, "economy": 1}},
        {"quotas": {"premium": 10**15 + 1, "standard": 1, "economy": 1}},
        {"quotas": {"premium#DAY#20261115": 1}},
        # The other labels have no limit, not even null.
        {"quotas": {"premium": 1}, "quotas_month": {}},
        {"model_ordering": ["premium", "premium"]},
        {"model_ordering": ["nobody-knows"]},
        {"model_ordering": []},
        {"agg_shard_count": "8"},
        {"sticky_fallback_enabled": "no"},
        {"timezone": "../../etc/passwd"},
        {"timezone": "/etc/localtime"},
        {"timezone": "Middle/Earth"},
        {"org_name": ""},
        {"org_name": "a\r\nBcc: everybody@example.org"},
        {"ledger_retention_days": 2, "late_window_hours": 48},
        {"alert_pcts": [0]},
        {"status": "DELETED"},
        {"version": 7},
    ],
)
def test_settings_that_are_none(change: dict[str, Any], service: World) -> None:
    body = org_body(**change)
    answer = service.http.put(f"{API}/orgs/{uuid4()}", json=body, headers=service.admin)
    assert told(answer) == (422, "INVALID")
    assert answer.json()["errors"]


# --- exports -------------------------------------------------------------------------------------


def test_no_cell_of_an_export_is_a_formula(service: World) -> None:
    tenant = service.tenant()
    reasons = ('=HYPERLINK("http://x")', "+1+1", "-1+1", "@SUM(A1)", "=cmd|' /C calc'!A0", "1, 2")
    for reason in reasons:
        body = correction(tenant.records[0], reason=reason)
        service.done("POST", f"{tenant.app_path}/corrections", body)
    headers = service.headers("org", tenant)
    answer = service.http.get(f"{tenant.path}/export.csv?kind=ledger", headers=headers)
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.headers["content-disposition"].startswith("attachment")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert {f"'{each}" for each in reasons[:5]} | {"1, 2"} <= {row["reason"] for row in rows}
    for row in rows:
        for name, cell in row.items():
            number = re.fullmatch(r"-?\d+(\.\d+)?", cell)
            assert number or not cell.startswith(("=", "+", "-", "@", "\t", "\r")), name


# --- who it is -----------------------------------------------------------------------------------


def test_ways_in_that_are_none(service: World, tenant: Tenant) -> None:
    key, token = service.keys["admin"], tenant.tokens[WEB]
    for headers in (
        {"Authorization": f"Basic {key}"},
        {"Authorization": key},
        {"Authorization": f"Bearer {key[:-1]}"},
        {"Authorization": f"Bearer {key}x"},
        {"Authorization": f"Bearer {key[:8]}{'A' * (len(key) - 8)}"},
        {"X-API-Key": token},
        {"Cookie": f"session={key}"},
        {"X-Forwarded-User": "admin", "X-Remote-User": "admin"},
    ):
        answer = service.http.get(f"{API}/orgs", headers=headers)
        assert told(answer) == (401, "UNAUTHENTICATED"), headers
        assert answer.headers["www-authenticate"]
    # A client is known, and has no roles; the next header does not help it.
    for more in ({}, {"X-API-Key": key}):
        headers = {"Authorization": f"Bearer {token}", **more}
        answer = service.http.get(f"{API}/orgs", headers=headers)
        assert told(answer) == (403, "FORBIDDEN")
    for query in (f"access_token={key}", f"api_key={key}"):
        assert told(service.http.get(f"{API}/orgs?{query}"))[0] == 401
    answer = service.http.post(tenant.path, headers={**service.admin, "X-HTTP-Method": "DELETE"})
    assert told(answer) == (405, "METHOD_NOT_ALLOWED")


def test_secrets_come_back_in_no_answer_and_stand_in_no_log(
    service: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    tenant = service.tenant()
    secret = tenant.secrets[WEB]
    body = {
        "grant_type": "client_credentials",
        "client_id": tenant.client_id(WEB),
        "client_secret": f"{secret}x",
    }
    answers = [service.http.post(f"{AUTH}/token", json=body).text]
    answers.append(service.http.post(f"{AUTH}/token", json={**body, "scope": [secret]}).text)
    for path in ("orgs", "audit", "api-keys", "outbox/sent"):
        answers.append(service.http.get(f"{API}/{path}", headers=service.admin).text)
    answers.append(service.http.get(f"{tenant.path}/credentials", headers=service.admin).text)
    logged = "\n".join(each.getMessage() for each in caplog.records)
    for hidden in (secret, *tenant.tokens.values(), *tenant.refresh_tokens.values()):
        assert hidden not in logged
        assert not [each for each in answers if hidden in each]
    assert service.keys["admin"] not in logged


# --- versions ------------------------------------------------------------------------------------


def test_changes_name_what_they_change(service: World) -> None:
    path = f"{API}/orgs/{uuid4()}"
    send = service.http.put
    assert told(send(path, json=org_body(), headers={**service.admin, "If-Match": '"1"'})) == (
        412,
        "STALE_VERSION",
    )
    made = send(path, json=org_body(), headers={**service.admin, "If-None-Match": "*"})
    assert made.status_code == 201
    again = send(path, json=org_body(), headers={**service.admin, "If-None-Match": "*"})
    assert told(again) == (412, "ALREADY_EXISTS")
    assert told(send(path, json=org_body(), headers=service.admin)) == (
        428,
        "PRECONDITION_REQUIRED",
    )
    first = made.headers["etag"]
    body = org_body(org_name="Other")
    changed = send(path, json=body, headers={**service.admin, "If-Match": first})
    assert changed.status_code == 200
    assert changed.headers["etag"] != first
    stale = {**service.admin, "If-Match": first}
    assert told(send(path, json=org_body(), headers=stale)) == (412, "STALE_VERSION")
    assert told(service.http.delete(path, headers=stale)) == (412, "STALE_VERSION")
    seen = service.http.get(path, headers=service.admin)
    assert seen.headers["etag"] == changed.headers["etag"]
    now = {**service.admin, "If-Match": seen.headers["etag"]}
    assert service.http.delete(path, headers=now).status_code == 204
    assert told(service.http.get(path, headers=service.admin)) == (404, "NOT_FOUND")


def test_a_known_selection_is_not_sent_again(service: World) -> None:
    tenant = service.tenant()
    url, headers = f"{tenant.app_path}/model-selection", service.headers("app", tenant)
    first = service.http.get(url, headers=headers)
    etag = first.headers["etag"]
    for given in (etag, f'"x", {etag}'):
        known = service.http.get(url, headers={**headers, "If-None-Match": given})
        assert known.status_code == 304
        assert known.content == b""
        assert known.headers["etag"] == etag
    assert service.http.get(url, headers={**headers, "If-None-Match": '"x"'}).status_code == 200
    closed = {"exhaust": ["premium"], "reason": "tests"}
    service.done("POST", f"{tenant.app_path}/override", closed)
    answer = service.http.get(f"{url}?force_check=true", headers={**headers, "If-None-Match": etag})
    assert answer.status_code == 200
    assert answer.headers["etag"] != etag
    assert answer.json()["recommended_label"] == "standard"
