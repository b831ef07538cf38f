"""Who may do what: every route, tried by everybody who can come to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from tests.service.hostile import routes_of
from tests.systems.ladders.roles_table import Case, callers, cases, is_allowed
from tests.systems.ladders.roles_world import CALLERS, OUTSIDE, Place, Stored, World, placed
from tests.systems.ladders.support import code_of

from tablewright.systems.ladders.rules.route_rights import ROUTES, Route, route

#: What every system has.
KIT = ("/api-keys", "/outbox", "/sessions", "/stream-token")
#: To whom ids that are nobody's are nobody's: a member, a manager, an admin.
SEEKERS = ("lina", "mona", "program")


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with placed() as found:
        yield found


def test_scenario_15_every_route_has_a_right(place: Place) -> None:
    """Every role x route x own/foreign: no mismatch. A new route needs a right, and cases here."""
    answer = place.do(place.world.api.http.get("/ladders/openapi.json"))
    found = [(each.method, each.path) for each in routes_of(answer.json())]
    assert all(path.startswith("/api/v1/") for _, path in found)
    served = {route(method, path.removeprefix("/api/v1")) for method, path in found}
    assert {each for each in served if not each.path.startswith(KIT)} == ROUTES.keys()
    assert {Route(*each.route.split()) for each in cases(place.world)} == served


@pytest.mark.parametrize(
    "everybody", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["one", "all"]
)
def test_scenario_15_every_role_on_every_route(place: Place, everybody: bool) -> None:
    """Every role x route x own/foreign: no mismatch."""

    async def story() -> list[str]:
        before, found = place.world.stored(), []
        for number, case in enumerate(cases(place.world)):
            who = CALLERS if everybody else callers(case, number)
            found += await _walked(place.world, case, who, before)
        return [*found, *_changed(place.world, before, "reading")]

    assert place.do(story()) == []


async def _walked(service: World, case: Case, who: Iterable[str], before: Stored) -> list[str]:
    """What is wrong. Those who may not come first: what they try must change nothing."""
    found: list[str] = []
    come = sorted(who, key=lambda each: is_allowed(case, each))
    for each in come:
        if is_allowed(case, each):
            break
        found += await _tried(service, case, each)
    if case.method != "GET":
        found += _changed(service, before, f"refused: {case}")
    for each in come:
        if is_allowed(case, each):
            found += await _tried(service, case, each)
            if case.method != "GET":
                service.restore(before)
    return found


async def _tried(service: World, case: Case, who: str) -> list[str]:
    """What is wrong with the answer that somebody gets."""
    answer = await service.ask(who, case.method, case.path, case.body, **case.headers)
    wrong = [f"{who}, {case}: {answer.status_code} {answer.text[:200]}"]
    if answer.status_code != case.expected(who):
        return wrong
    if answer.is_success:
        return []
    told = answer.headers["content-type"] == "application/problem+json"
    return [] if told and answer.json()["status"] == answer.status_code else wrong


def _changed(service: World, before: Stored, what: str) -> list[str]:
    """Whether something is different, where nothing should be."""
    now = service.stored()
    return [f"{what}: {name} is different" for name in now if now[name] != before[name]]


def test_scenario_15_nobody_comes_in_from_outside(place: Place) -> None:
    """Every role x route x own/foreign: no mismatch. Here: those who are no users."""

    async def story() -> None:
        for case in _one_of_each(cases(place.world)):
            for who, (status, code) in OUTSIDE.items():
                answer = await place.world.ask(who, case.method, case.path, case.body)
                # What every system has does not ask who is a user of the company.
                is_kit = status == 403 and case.route.split()[1].startswith(KIT)
                expected = (status, "FORBIDDEN" if is_kit else code)
                assert code_of(answer) == expected, (who, case)
                assert ("www-authenticate" in answer.headers) == (status == 401)

    before = place.world.stored()
    place.do(story())
    assert _changed(place.world, before, "from outside") == []


def test_scenario_15_ids_that_are_nobodys_or_none(place: Place) -> None:
    """Every role x route x own/foreign: no mismatch. Here: what does not exist."""

    async def story() -> None:
        own = [each for each in cases(place.world) if not each.route.split()[1].startswith(KIT)]
        for case in _one_of_each(own):
            for wrong in case.elsewhere():
                for who in SEEKERS:
                    assert await _tried(place.world, wrong, who) == []

    before = place.world.stored()
    place.do(story())
    assert _changed(place.world, before, "nobody's ids") == []


def test_scenario_15_what_is_somebody_elses_is_told_like_what_is_not_there(place: Place) -> None:
    """Every role x route x own/foreign: no mismatch. Here: nor is there one in the words."""

    async def story() -> None:
        words: dict[str, tuple[int, object]] = {}
        foreign = [each for each in cases(place.world) if each.expected("loner") == 404]
        for case in foreign:
            if case.route not in words:
                words[case.route] = await _words(place.world, next(case.elsewhere()))
            assert await _words(place.world, case) == words[case.route], case
        assert len(words) > 40

    place.do(story())


async def _words(service: World, case: Case) -> tuple[int, object]:
    answer = await service.ask("loner", case.method, case.path, case.body, **case.headers)
    told = answer.json()
    return answer.status_code, (told["code"], told["title"], told["detail"], told.get("errors"))


def _one_of_each(found: Iterable[Case]) -> Iterable[Case]:
    return {each.route: each for each in found}.values()
