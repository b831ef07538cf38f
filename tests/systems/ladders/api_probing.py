"""What generated requests find in ladders, and everybody who can call."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st
from tests.service.good_requests import Request
from tests.service.seeded_probing import Pool, Prober, Service
from tests.systems.ladders.api_requests import MAY, good_request
from tests.systems.ladders.api_world import COLLEAGUE, MANAGER, MEMBER, WHO, World
from tests.systems.ladders.assessments.reviews import EVERYTHING
from tests.systems.ladders.configs.support import FAULTY, TEXT

from tablewright.service.auth import Principal

#: Said before a request reaches what it is for.
_AT_THE_DOOR = frozenset({"PRECONDITION_REQUIRED", "RATE_LIMITED", "NOT_INVITED"})


@dataclass(frozen=True)
class Scene:
    """What there is, and who is in the team that is asked about."""

    world: World
    pool: Pool
    people: Mapping[str, Principal]

    def headers(self, who: str) -> dict[str, str]:
        named = self.people.get(who)
        return self.world.headers(who) if named is None else self.world.signed(named)

    def seen_as(self, who: str, address: Mapping[str, Any]) -> str:
        return who

    def strategy(self, member: str) -> st.SearchStrategy[Any] | None:
        """New addresses and versions, and what the ladder asks for."""
        if member == "email":
            return _NUMBERS.map(lambda each: f"probed-{each}@people.test")
        if member == "version":
            return _NUMBERS.map(lambda each: f"9.{each}.0")
        if member == "changes":
            return st.lists(_CHANGES, max_size=3, unique_by=lambda each: each["competency"])
        return None


_NUMBERS: Final = st.integers(0, 999_999)
_CHANGES: Final = st.builds(
    lambda place, level: {
        "category": place[0],
        "competency": place[1],
        "level": level,
        "evidence": "Led the move.",
    },
    st.sampled_from(EVERYTHING),
    st.integers(1, 6),
)


def prober(world: World) -> Prober:
    """Of all operations."""
    document = world.http.get("/ladders/openapi.json").json()
    paths = {
        operation["operationId"]: path
        for path, operations in document["paths"].items()
        for operation in operations.values()
    }
    shared = shared_pool(world)

    def stage(name: str) -> Scene:
        world.rest()
        request = good_request(name, world)
        own = {
            **addressed(paths[name], request),
            **_asked(request),
            **_MORE.get(name, _none)(world),
        }
        people = {who: world.people[who] for who in (MANAGER, MEMBER, COLLEAGUE)}
        return Scene(world, {**shared, **own}, people)

    url = f"{world.service.url}/ladders"
    return Prober(Service(url, document, MAY, WHO, stage, _AT_THE_DOOR))


def addressed(path: str, request: Request) -> Pool:
    """What stands in the address of a good request, by its names."""
    pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path)
    found = re.fullmatch(f"/ladders{pattern}", request.path)
    assert found, (path, request.path)
    return {name: [value] for name, value in found.groupdict().items()}


def _asked(request: Request) -> Pool:
    """Ids in a body or a question, which nobody can guess."""
    said = {**(request.body or {}), **request.parameters}
    return {name: [said[name]] for name in _IDS if name in said}


_IDS: Final = ("plan_id", "user_id", "user_ids", "manager_id")


def shared_pool(world: World) -> Pool:
    """What there is, by the names that parameters and members have."""
    made = world.draft_body()
    return {
        "cursor": [str(world.done("GET", "/users?limit=1")["next_cursor"])],
        "if-match": ["*", '"1"'],
        "if-none-match": [""],
        "name": ["Lina Moreau", "=1+1"],
        "roles": [["manager"], ["admin", "team_member"], []],
        "team_name": ["Platform", "R&D | Ops"],
        "plan_name": ["Autumn review"],
        "season": ["2026-H2", "H1-2027", "2027", "2027-Q3"],
        "start_date": [made["start_date"]],
        "end_date": [made["end_date"]],
        "config_version": ["0.9.0", "1.0.0", None],
        "emails": [[]],
        "user_ids": [None],
        "manager_id": [None],
        "due_at": ["2026-12-04T17:00:00Z"],
        "title": ["Run the design review"],
        "reason": ["A project was forgotten."],
        "content": [TEXT, FAULTY],
        "goal_level": [4, 6],
        "force": [True, False],
        "since": ["2026-11-01T00:00:00Z"],
        "until": ["2026-12-01T00:00:00Z"],
        "day": ["2026-11-15"],
    }


# --- what an operation needs besides -------------------------------------------------------------


def _none(world: World) -> Pool:
    return {}


def _written(world: World) -> Pool:
    """Any evidence is good; words of the ladder are not."""
    return {"evidence": ["Led the move."], "level": [3], "about": [None]}


def _keyed(world: World) -> Pool:
    return {"roles": [["admin"]]}


def _forced(world: World) -> Pool:
    """Nobody has submitted anything."""
    return {"force": [True]}


_MORE: Final[Mapping[str, Callable[[World], Pool]]] = {
    "save_assessment": _written,
    "complete_plan": _forced,
    "create_api_key": _keyed,
}
