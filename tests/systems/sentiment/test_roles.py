"""Who may do what: every operation, tried by everybody who can come to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.service.good_requests import send
from tests.service.reading import operations_of
from tests.systems.sentiment.api_requests import ENDLESS, MAY, good_request
from tests.systems.sentiment.api_world import API, WHO, World, world
from tests.systems.sentiment.models.support import onnx_folder


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder: Path = tmp_path_factory.mktemp("models")
    onnx_folder(folder / "words")
    with world(models=folder) as found:
        yield found


@pytest.mark.parametrize("operation", sorted(MAY.keys() - ENDLESS))
def test_who_may(operation: str, service: World) -> None:
    request = good_request(operation, service)
    # Those who may not come first: what they try must leave everything as it was.
    for who in sorted(frozenset(WHO) - MAY[operation]):
        answer = send(service.http, request, service.headers(who))
        assert answer.status_code == refusal(who), (who, answer.text)
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == answer.status_code
        assert ("www-authenticate" in answer.headers) == (answer.status_code == 401)
    for who in sorted(MAY[operation]):
        request = good_request(operation, service)
        answer = send(service.http, request, service.headers(who))
        assert answer.is_success, (who, answer.text)


def refusal(who: str) -> int:
    """What somebody is told who may not."""
    return 401 if who in ("nobody", "nonsense") else 403


@pytest.mark.parametrize("who", WHO)
def test_who_may_look_at_the_stream(who: str, service: World) -> None:
    with service.http.stream("GET", f"{API}/stream", headers=service.headers(who)) as answer:
        may = who in MAY["stream"]
        assert answer.status_code == (200 if may else refusal(who))


@pytest.mark.parametrize("who", ["viewer", "ingest"])
def test_a_token_opens_the_stream_for_who_may_look(who: str, service: World) -> None:
    made = service.http.post(f"{API}/stream-token", headers=service.headers(who)).json()
    query = f"stream_token={made['stream_token']}"
    with service.http.stream("GET", f"{API}/stream?{query}") as answer:
        assert answer.status_code == (200 if who == "viewer" else 403)
    # And nothing else.
    assert service.http.get(f"{API}/items?{query}").status_code == 401


def test_every_operation_is_in_the_table(service: World) -> None:
    document = service.http.get("/sentiment/openapi.json").json()
    assert operations_of(document).keys() == MAY.keys()
