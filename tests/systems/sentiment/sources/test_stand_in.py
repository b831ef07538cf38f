"""The stand-in keeps NewsAPI's contract."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import httpx2
import pytest
from tests.systems.sentiment.sources.support import KEY, news
from tests.systems.sentiment.support import NOW

from tablewright.systems.sentiment.stand_in import StandIn, serving
from tablewright.systems.sentiment.stand_in.articles import query


@pytest.fixture(scope="module")
def stand_in() -> StandIn:
    return StandIn([news(number) for number in range(150)], key=KEY)


@pytest.fixture(scope="module")
def client(stand_in: StandIn) -> Iterator[httpx2.Client]:
    with serving(stand_in) as url, httpx2.Client(base_url=url) as client:
        yield client


def ask(client: httpx2.Client, **wanted: str) -> httpx2.Response:
    return client.get("/v2/everything", params=wanted, headers={"X-Api-Key": KEY})


def test_articles_have_the_members_of_the_real_ones(client: httpx2.Client) -> None:
    body = ask(client, q="story", pageSize="2").json()
    assert (body["status"], body["totalResults"], len(body["articles"])) == ("ok", 150, 2)
    names = "source author title description url urlToImage publishedAt content"
    assert set(body["articles"][0]) == set(names.split())
    times = [each["publishedAt"] for each in body["articles"]]
    assert times == sorted(times, reverse=True)
    assert times[0] == "2026-11-20T12:00:00Z"


def test_times_are_from_and_to(client: httpx2.Client) -> None:
    since, until = NOW - timedelta(minutes=9), NOW - timedelta(minutes=5)
    wanted = {"from": f"{since:%Y-%m-%dT%H:%M:%S}", "to": f"{until:%Y-%m-%dT%H:%M:%S}"}
    assert ask(client, q="story", **wanted).json()["totalResults"] == 5


def test_a_hundred_results_are_given_and_no_more(client: httpx2.Client) -> None:
    assert len(ask(client, q="story").json()["articles"]) == 100
    cut = ask(client, q="story", page="2")
    assert (cut.status_code, cut.json()["code"]) == (426, "maximumResultsReached")


@pytest.mark.parametrize(
    ("wanted", "status", "code"),
    [
        ({}, 400, "parametersMissing"),
        ({"q": "a", "pageSize": "101"}, 400, "parameterInvalid"),
        ({"q": "a", "page": "x"}, 400, "parameterInvalid"),
        ({"q": "a", "from": "yesterday"}, 400, "parameterInvalid"),
        ({"q": "(a"}, 400, "parameterInvalid"),
        ({"q": "a" * 501}, 400, "parameterInvalid"),
    ],
)
def test_bad_parameters(
    client: httpx2.Client, wanted: dict[str, str], status: int, code: str
) -> None:
    answer = ask(client, **wanted)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["status"] == "error"


def test_the_key_is_in_a_header_or_a_parameter(client: httpx2.Client, stand_in: StandIn) -> None:
    assert client.get("/v2/everything?q=a").json()["code"] == "apiKeyMissing"
    wrong = client.get("/v2/everything?q=a", headers={"X-Api-Key": "x"})
    assert (wrong.status_code, wrong.json()["code"]) == (401, "apiKeyInvalid")
    assert client.get(f"/v2/everything?q=a&apiKey={KEY}").status_code == 200
    assert KEY not in str(stand_in.asked)


def test_faults_are_asked_for_over_http(client: httpx2.Client) -> None:
    faults = {"faults": [{"status": 429, "retry_after": "7"}, {"drop": True}, {"broken": True}]}
    assert client.post("/_control", json=faults).json()["status"] == "ok"
    busy = ask(client, q="story")
    assert (busy.status_code, busy.headers["Retry-After"]) == (429, "7")
    with pytest.raises(httpx2.HTTPError):
        ask(client, q="story")
    with pytest.raises(ValueError, match=r"."):
        ask(client, q="story").json()
    assert ask(client, q="story").status_code == 200
    assert client.post("/_control", json={"faults": [{"what": 1}]}).status_code == 400


def test_a_key_has_so_many_calls() -> None:
    limited = StandIn([news(1)], key=KEY, daily_limit=2)
    answers = [limited.answer({"q": "story"}, KEY).status for _ in range(3)]
    assert answers == [200, 200, 429]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("grid", True),
        ("rid", False),
        ('"power grid"', True),
        ('"grid power"', False),
        ("grid wind", False),
        ("grid OR wind", True),
        ("grid AND fails", True),
        ("grid NOT fails", False),
        ("grid -fails", False),
        ("+grid -wind", True),
        ("(wind OR grid) AND (storm OR fails)", True),
        ("wind OR grid AND storm", False),
        ('("wind" OR "power grid") AND "fails"', True),
    ],
)
def test_questions_are_understood(text: str, found: bool) -> None:
    assert query(text)("Power grid fails") is found
