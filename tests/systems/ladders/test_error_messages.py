"""Field errors of the API: places for programs, messages for people."""

from __future__ import annotations

import re

import pytest
from tests.systems.ladders.support import OPERATOR, api_on, crew_made, run

from tablewright.clock import ManualClock
from tablewright.testing.backends import Backend

BELL = "Plan \x07 B"
PLAN = {
    "season": "2026-H2",
    "plan_name": "Review",
    "start_date": "2026-10-01T00:00:00Z",
    "end_date": "2026-11-30T17:00:00Z",
}
INTERNAL = re.compile(r"pattern|\\x|\^\[|\[\^|\[0-9|Value error|\b[a-z]+_[a-z_]+\b")


@pytest.mark.parametrize(
    ("method", "path", "body", "field", "message"),
    [
        ("POST", "/teams", {"team_name": BELL}, "body.team_name", "one line"),
        ("POST", "/teams", {"team_name": "A", "description": BELL}, "body.description", "control"),
        ("POST", "/teams", {"team_name": "Tools", "manager_id": "me"}, "body.manager_id", "4b1c2f"),
        ("PATCH", "/teams/{team}", {"team_name": None}, "body", "cannot be removed"),
        ("POST", "/teams/{team}/members", {"emails": [BELL]}, "body.emails.0", "one line"),
        ("POST", "/teams/{team}/members", {"user_ids": ["x"]}, "body.user_ids.0", "4b1c2f"),
        ("POST", "/users", {"email": "lina", "name": "Lina"}, "body.email", "asha@example.org"),
        ("POST", "/users", {"email": BELL, "name": "Lina"}, "body.email", "one line"),
        ("POST", "/teams/{team}/plans", PLAN | {"season": "H3"}, "body.season", "2026-H2"),
        ("POST", "/teams/{team}/plans", PLAN | {"season": "0000"}, "body.season", "2026-H2"),
        ("POST", "/teams/{team}/plans", PLAN | {"config_version": "v1"}, "body.config_version", ""),
        ("POST", "/teams/{team}/plans", PLAN | {"start_date": "soon"}, "body.start_date", "2026-"),
        ("POST", "/configs", {"version": "1.0", "content": "# A"}, "body.version", "1.1.0"),
    ],
)
def test_bad_value_names_its_place_and_how_to_mend_it(
    engine_backend: Backend,
    clock: ManualClock,
    method: str,
    path: str,
    body: dict[str, object],
    field: str,
    message: str,
) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            crew = await crew_made(api.company)
            tag = f'"{crew.team.revision}"'
            where = path.format(team=crew.team_id)
            headers = {"If_Match": tag} if method == "PATCH" else {}
            answer = await api.as_(OPERATOR)(method, where, body, **headers)
            assert answer.status_code == 422, answer.text
            errors = {each["field"]: each["message"] for each in answer.json()["errors"]}
            assert field in errors, errors
            assert message in errors[field]
            for each in errors.values():
                assert INTERNAL.search(each) is None, each

    run(story())
