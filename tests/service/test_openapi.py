"""The document of an API, and whether the API keeps to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.service.probing import probe
from tests.service.shelf import system
from tests.service.support import Running, running

from tablewright.engine import Engine
from tablewright.testing import in_process


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    with Engine.memory() as engine, in_process(engine) as backend:
        with running(system, backend, workers=False) as found:
            yield found


def test_the_api_keeps_to_its_document(service: Running) -> None:
    assert probe(service.url, "shelf") > 5


@pytest.fixture
def document(service: Running) -> dict[str, Any]:
    with service.client() as client:
        made: dict[str, Any] = client.get("/shelf/openapi.json").json()
        return made


def operations(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for path in document["paths"].values() for each in path.values()]


def resolved(document: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    name = answer.get("$ref", "").rpartition("/")[2]
    return document["components"]["responses"][name] if name else answer


def test_what_an_operation_is_says_what_it_refuses(document: dict[str, Any]) -> None:
    notes = document["paths"]["/api/v1/shelves/{shelf}/notes"]
    assert {"400", "422"} <= notes["get"]["responses"].keys()  # a cursor, a limit
    assert {"400", "413", "415", "422"} <= notes["post"]["responses"].keys()
    secret = document["paths"]["/api/v1/secret"]["get"]["responses"]
    assert {"401", "403", "429"} <= secret.keys()
    assert not {"401", "403"} & notes["get"]["responses"].keys()
    assert "WWW-Authenticate" in resolved(document, secret["401"])["headers"]


def test_every_operation_documents_problems(document: dict[str, Any]) -> None:
    assert operations(document)
    for operation in operations(document):
        for status, answer in operation["responses"].items():
            if status == "default" or int(status) >= 400:
                shown = resolved(document, answer)["content"]["application/problem+json"]
                assert shown["schema"] == {"$ref": "#/components/schemas/Problem"}
        assert {"503", "default"} <= operation["responses"].keys()
        assert operation["tags"]
    assert "Problem" in document["components"]["schemas"]
    assert "HTTPValidationError" not in document["components"]["schemas"]


def test_operations_have_names_of_their_own(document: dict[str, Any]) -> None:
    names = [each["operationId"] for each in operations(document)]
    assert len(set(names)) == len(names)
    assert {"list_notes", "add_note", "one_note", "change_note"} <= set(names)


def test_where_and_what_it_is(document: dict[str, Any]) -> None:
    assert document["info"]["title"] == system.title
    assert document["info"]["description"] == system.about
    assert document["servers"] == [{"url": "/shelf"}]
    assert {"name": "shelves"} in document["tags"]
    assert all("description" in each for each in document["tags"] if each["name"] == "api-keys")
    assert not any(path.startswith("/odd") for path in document["paths"])


def test_what_needs_somebody_says_so(document: dict[str, Any]) -> None:
    secret = document["paths"]["/api/v1/secret"]["get"]
    schemes = {name for each in secret["security"] for name in each}
    assert schemes <= set(document["components"]["securitySchemes"])
    assert schemes


def test_docs_lead_to_the_document_where_nobody_shows_it(service: Running) -> None:
    with service.client(follow_redirects=True) as client:
        answer = client.get("/shelf/docs")
        assert answer.json()["openapi"].startswith("3.")
