"""The OpenAPI document of sentiment, and whether the service keeps to it.

Requests are generated from the document, with topics, articles and sources that exist put into
them, so that most of them reach the use cases. Whatever is sent: no 5xx, nothing undeclared, every
error a problem document, and nobody does what they may not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from tests.service.reading import (
    check_answers,
    check_bodies,
    check_operations,
    check_parameters,
    examples_of,
    operations_of,
    subjects_of,
)
from tests.systems.sentiment.api_probing import prober
from tests.systems.sentiment.api_requests import ENDLESS, MAY, good_request
from tests.systems.sentiment.api_world import API, World, world
from tests.systems.sentiment.models.support import onnx_folder

QUICK, DEEP = 2, 80
PROBED = sorted(MAY.keys() - ENDLESS)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("models")
    onnx_folder(folder / "words")
    with world(models=folder) as found:
        yield found


@pytest.fixture(scope="module")
def document(service: World) -> dict[str, Any]:
    made: dict[str, Any] = service.http.get("/sentiment/openapi.json").json()
    return made


# --- whether the service keeps to it -------------------------------------------------------------


def test_generated_requests(service: World) -> None:
    probing = prober(service)
    for name, operation in probing.operations().items():
        if name not in ENDLESS:
            probing.probe(name, operation, QUICK)
    tally = probing.tally
    seen = "\n".join(tally.lines())
    assert tally.reached > 0.6 * tally.right > 0, seen
    assert len(tally.succeeded()) > 0.8 * len(PROBED), seen


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBED)
def test_many_generated_requests(name: str, service: World) -> None:
    probing = prober(service)
    probing.probe_deeply(name, DEEP)
    assert name in probing.tally.succeeded(), list(probing.tally.lines())


def test_examples_are_accepted(service: World, document: dict[str, Any]) -> None:
    """What the document shows can be sent as it stands, to a place where there is such a thing."""
    sent = 0
    for name, operation in operations_of(document).items():
        for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
            if media_type == "multipart/form-data":
                continue
            for shown in examples_of(document, content):
                request = good_request(name, service)
                body = shown.encode() if isinstance(shown, str) else orjson.dumps(shown)
                credentials = service.headers(sorted(MAY[name])[0])
                typed = {"Content-Type": media_type}
                answer = service.http.request(
                    request.method,
                    request.path,
                    content=body,
                    headers={**request.headers, **credentials, **typed},
                )
                told = "" if answer.status_code < 400 else answer.json()["code"]
                assert told in ("", *_ALL_THAT_MAY_BE_WRONG), (name, answer.text)
                sent += 1
    assert sent > 12


#: The model, the feed or the article is not there; or the example is, because generated requests to
#: the same service have sent it before.
_ALL_THAT_MAY_BE_WRONG = (
    "BAD_MODEL",
    "MODEL_UNAVAILABLE",
    "UNSAFE_URL",
    "NOT_REQUEUEABLE",
    "TAG_EXISTS",
    "ALREADY_EXISTS",
)


# --- how it reads --------------------------------------------------------------------------------


def test_the_document_reads_well(document: dict[str, Any]) -> None:
    check_operations(document)
    check_parameters(document)
    check_answers(document)
    check_bodies(document)
    assert "ingest" in document["info"]["description"]


def test_every_route_says_who_may_call_it(document: dict[str, Any]) -> None:
    for name, operation in operations_of(document).items():
        named = {scheme for each in operation["security"] for scheme in each}
        assert named == {"bearer", "key", "session"}, name
        assert {"401", "403", "429"} <= operation["responses"].keys()


def test_subjects_are_in_the_order_of_use(document: dict[str, Any]) -> None:
    names = subjects_of(document)
    # What everybody looks at comes first, what the process is looked after with last.
    assert names[:4] == ["figures", "articles", "export", "live"]
    assert names[-1] == "outbox"


def test_the_document_names_no_secret(service: World) -> None:
    text = service.http.get("/sentiment/openapi.json").text
    assert not [each for each in service.keys.values() if each in text]


def test_what_is_not_documented_is_not_there(service: World) -> None:
    for method, path, status in (
        ("GET", f"{API}/nothing", 404),
        ("PATCH", f"{API}/watch", 405),
        ("TRACE", f"{API}/items", 405),
        ("DELETE", f"{API}/sources", 405),
        ("GET", f"{API}/ingest", 405),
    ):
        answer = service.http.request(method, path, headers=service.admin)
        assert answer.status_code == status, path
        assert answer.headers["content-type"] == "application/problem+json"
        if status == 405:
            assert method not in answer.headers["allow"].split(", ")
            assert answer.headers["allow"]
