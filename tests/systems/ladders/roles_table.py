"""Who may do what, written down once more, from the specification alone.

A caller is to something whatever of these letters applies, and what each may do adds up:

=====  ==========================================
``*``  signed in
``L``  has the role of a manager
``O``  it is about them
``T``  a member of its team
``M``  manages its team now; of somebody who has moved, the team that they are in
``A``  an admin, and it is not about them
``D``  an admin who does not take part in the plan
``R``  takes part in the plan
``K``  an operator, by the issuer or by a key
=====  ==========================================

Who may not, and may know of it, is told 403; everybody else 404.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final

from tests.systems.ladders.roles_world import (
    CALLERS,
    MANAGERS,
    MEMBERS,
    MOVED,
    OPERATORS,
    PEOPLE,
    POINTS,
    ROSTERS,
    Point,
    World,
)

from tablewright.systems.ladders import ids

NOBODYS: Final = "4b1c2f0e-6d1a-4a55-9f0e-2f1d4f5c8a10"
SEEN: Final = {"If_Match": "*"}
_LADDER: Final = "# Craft\n\n## Code\n\n1. Writes it.\n2. Shapes it.\n"
_ADMINS: Final = frozenset(name for name, roles in PEOPLE.items() if "admin" in roles)
_LEADERS: Final = frozenset(name for name, roles in PEOPLE.items() if "manager" in roles)
_SHARED: Final = ("released", "acknowledged")
REASON: Final = {"reason": "Something was forgotten."}


@dataclass(frozen=True)
class Case:
    """A request that is good for those who may, and to what team and member it belongs."""

    #: Such as ``GET /teams/{}``.
    route: str
    ids: tuple[str, ...] = ()
    may: str = ""
    #: Who knows of it; those who may do, anyway.
    seen: str = "*"
    team: str | None = None
    about: str | None = None
    body: object = None
    query: str = ""
    #: What those who may are answered.
    then: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Who takes part in a plan that has begun: about it, admins among them are members.
    roster: frozenset[str] = frozenset()

    @property
    def method(self) -> str:
        return self.route.split()[0]

    @property
    def path(self) -> str:
        return self.route.split()[1].replace("{}", "%s") % self.ids + self.query

    def expected(self, who: str) -> int:
        if is_allowed(self, who):
            return self.then
        known = letters_of(who, self) & set(self.seen)
        return 403 if known else 404

    def elsewhere(self) -> Iterator[Case]:
        """The same with ids that are nobody's, or none: nobody finds anything."""
        for wrong in (NOBODYS, "EMAIL%23lina%40people.test") if self.ids else ():
            yield replace(self, ids=(wrong, *self.ids[1:]), may="", seen="")


def letters_of(who: str, case: Case) -> set[str]:
    """What somebody is to something of a team, about a member."""
    team, about = case.team, case.about
    manager = MANAGERS.get(MOVED.get(about or "", team or ""))
    admin = (who in _ADMINS and who != about) or who in OPERATORS
    found = {
        "*": True,
        "L": who in _LEADERS,
        "O": who == about,
        "T": team is not None and who in MEMBERS[team],
        "M": team is not None and who == manager != about,
        "A": admin,
        "D": admin and who not in case.roster,
        "R": who in case.roster,
        "K": who in OPERATORS,
    }
    return {letter for letter, applies in found.items() if applies}


def cases(world: World) -> list[Case]:
    """All of them, those that only read first."""
    parts = (_me, _users, _teams, _plans, _assessments, _reports, _configs, _kit)
    found = chain.from_iterable(part(world) for part in parts)
    return sorted(found, key=lambda each: each.method != "GET")


def _me(world: World) -> Iterator[Case]:
    for path in ("/me", "/me/tasks", "/me/export", "/teams/mine", "/plans/active"):
        yield Case(f"GET {path}", may="*")


def _users(world: World) -> Iterator[Case]:
    nils, gone = world.users["nils"], world.users["inactive"]
    yield Case("GET /users", may="A")
    yield Case("GET /audit", may="A")
    new = {"email": "new@people.test", "name": "New"}
    yield Case("POST /users", may="A", body=new, then=201)
    # One's own is no exception: what one may know of oneself is at /me.
    yield Case("GET /users/{}", (nils,), "A", "A")
    yield Case("PATCH /users/{}", (nils,), "A", "A", body={"name": "Nobody"}, headers=SEEN)
    for path, user_id in (("deactivate", nils), ("reactivate", gone), ("erase", nils)):
        yield Case(f"POST /users/{{}}/{path}", (user_id,), "A", "A")


def _teams(world: World) -> Iterator[Case]:
    users, here, side = world.users, world.teams["here"], world.teams["side"]
    named = {"team_name": "Another name"}
    yield Case("GET /teams", may="A")
    yield Case("POST /teams", may="LA", body=named, then=201)
    for name, team_id in world.teams.items():
        yield Case("GET /teams/{}", (team_id,), "TMA", "TMA", name)
        yield Case("GET /teams/{}/plans", (team_id,), "TMA", "TMA", name)
    at = ("MA", "TMA", "here")
    yield Case("PATCH /teams/{}", (here,), *at, body=named, headers=SEEN)
    yield Case("DELETE /teams/{}", (side,), "A", "TMA", "side", then=204)
    yield Case("DELETE /teams/{}", (here,), "A", "TMA", "here", then=409)
    body: dict[str, Any] = {"manager_id": users["fritz"]}
    yield Case("PUT /teams/{}/manager", (here,), "A", "TMA", "here", body=body)
    body = {"user_ids": [users["loner"]]}
    yield Case("POST /teams/{}/members", (here,), *at, body=body)
    yield Case("DELETE /teams/{}/members/{}", (here, users["lina"]), *at)
    for plan, then in (("here", 200), ("draft", 200), ("there", 404), (NOBODYS, 404)):
        query = f"?plan_id={world.plans.get(plan, plan)}&source=self"
        yield Case("GET /teams/{}/heatmap", (here,), *at, query=query, then=then)
    yield Case("POST /teams/{}/plans", (here,), *at, body=_plan(season="2028"), then=201)


def _plan(**more: str) -> dict[str, str]:
    dates = {"start_date": "2026-11-01T00:00:00Z", "end_date": "2026-12-30T00:00:00Z"}
    return {"plan_name": "A review", **dates, **more}


def _plans(world: World) -> Iterator[Case]:
    users, plans = world.users, world.plans
    draft, past, active = ((plans[each],) for each in ("draft", "past", "here"))
    at = ("MA", "TMA", "here")
    yield Case("GET /plans", may="A")
    for name, plan_id in plans.items():
        team = name if name in world.teams else "here"
        yield Case("GET /plans/{}", (plan_id,), "TMA", "TMA", team)
    for name in ("draft", "here", "there"):
        team = name if name in world.teams else "here"
        for path in ("board", "assessments", "reports"):
            yield Case(f"GET /plans/{{}}/{path}", (plans[name],), "MA", "TMA", team)
    yield Case("PUT /plans/{}", draft, *at, body=_plan(), headers=SEEN)
    later = {"plan_name": "Later", "end_date": "2027-01-30T00:00:00Z"}
    begun = {"roster": ROSTERS["here"]}
    steer = ("MD", "TMA", "here")
    yield Case("PUT /plans/{}", active, *steer, body=later, headers=SEEN, **begun)
    yield Case("DELETE /plans/{}", draft, *at, then=204)
    yield Case("DELETE /plans/{}", active, *steer, then=409, **begun)
    yield Case("POST /plans/{}/activate", draft, *at)
    yield Case("POST /plans/{}/activate", past, *steer, then=409, **begun)
    yield Case("POST /plans/{}/complete", active, *steer, body={"force": True}, **begun)
    yield Case("POST /plans/{}/complete", active, *steer, then=409, **begun)
    yield Case("POST /plans/{}/archive", past, *steer, **begun)
    yield Case("POST /plans/{}/reopen", past, "D", "TMA", "here", body=REASON, **begun)
    yield Case("POST /plans/{}/members", active, *at, body={"user_id": users["late"]})
    yield Case("DELETE /plans/{}/members/{}", (*active, users["lina"]), *at)
    yield Case("DELETE /plans/{}/members/{}", (*active, NOBODYS), *at, then=404)
    # Nobody decides that they take part themselves.
    for name in ("ama", "iris"):
        own = {"roster": frozenset((name,))}
        yield Case("DELETE /plans/{}/members/{}", (*active, users[name]), *steer, **own)
        body = {"user_id": users[name]}
        yield Case("POST /plans/{}/members", active, *steer, body=body, **own)
    yield Case("POST /plans/{}/remind", active, *at)
    yield Case("POST /plans/{}/remind", draft, *at, then=409)


# --- assessments and reports ---------------------------------------------------------------------


def _assessments(world: World) -> Iterator[Case]:
    for name, point in POINTS.items():
        plan_id, user_id = world.plans[point.team], world.users[name]
        own = ids.assessment_id(plan_id, user_id, "self")
        manager = ids.assessment_id(plan_id, user_id, "manager")
        yield from _self_assessment(Case("", (own,), "", "OMA", point.team, name), point)
        yield from _manager_assessment(Case("", (manager,), "", "OMA", point.team, name), point)
        yield Case("GET /members/{}/assessments", (user_id,), "OMA", "OMA", point.team, name)


def _self_assessment(one: Case, point: Point) -> Iterator[Case]:
    yield _reading(one, "OMA" if point.own == "submitted" else "O")
    if point.report not in _SHARED:  # which are as locked as others
        yield from _writing(replace(one, may="O"), point.own)
    yield _reopening(one, point, point.own)


def _manager_assessment(one: Case, point: Point) -> Iterator[Case]:
    released = "O" if point.report in _SHARED else ""
    submitted = "A" if point.manager == "submitted" else ""
    yield _reading(one, f"M{submitted}{released}")
    if point.report not in _SHARED:
        yield from _writing(replace(one, may="M"), point.manager)
    yield _reopening(one, point, point.manager)


def _reading(one: Case, may: str) -> Case:
    return replace(one, route="GET /assessments/{}", may=may)


def _writing(one: Case, status: str) -> Iterator[Case]:
    """What is submitted is locked, and submitting it again is nothing."""
    saved = {"changes": [{"category": "Craft", "competency": "Coding", "level": 2}]}
    locked = 403 if status == "submitted" else 200
    patch = "PATCH /assessments/{}"
    yield replace(one, route=patch, body=saved, headers=SEEN, then=locked)
    then = 422 if status == "not_started" else 200
    yield replace(one, route="POST /assessments/{}/submit", then=then)


def _reopening(one: Case, point: Point, status: str) -> Case:
    """Stan's was reopened already: that is answered as it is."""
    may = "A" if point.report == "acknowledged" else "MA"
    then = 200 if status == "submitted" or point.report == "stale" else 409
    return replace(one, route="POST /assessments/{}/reopen", body=REASON, may=may, then=then)


def _reports(world: World) -> Iterator[Case]:
    for name, point in POINTS.items():
        user_id, plan_id = world.users[name], world.plans[point.team]
        about = ("OMA", point.team, name)
        for path in ("reports", "history"):
            yield Case(f"GET /members/{{}}/{path}", (user_id,), "OMA", *about)
        built = 200 if point.report not in (None, "stale") else 409
        both = (plan_id, user_id)
        yield Case("POST /plans/{}/reports/{}", both, "MA", *about, then=built)
        one = Case("", (ids.report_id(plan_id, user_id),), "", *about)
        if point.report is None:
            yield replace(one, route="GET /reports/{}", seen="")
        else:
            yield from _report(one, point.report)
            yield from _actions(one, point.report, world.actions.get(name, NOBODYS))
    both = (world.plans["here"], NOBODYS)
    yield Case("POST /plans/{}/reports/{}", both, "MA", "MA", "here", then=404)
    # Of a plan that one has no part in, one's own report is no more there than anybody's.
    for name in ("lina", "loner"):
        both = (world.plans["there"], world.users[name])
        yield Case("POST /plans/{}/reports/{}", both, seen="")


def _report(one: Case, status: str) -> Iterator[Case]:
    released = status in _SHARED
    may = "M" + ("" if status == "stale" else "A") + ("O" if released else "")
    yield replace(one, route="GET /reports/{}", may=may)
    export = "POST /reports/{}/export"
    yield replace(one, route=export, may=may, query="?format=csv")
    then = 409 if status == "stale" else 200
    yield replace(one, route="POST /reports/{}/release", may="MA", then=then)
    then = 200 if status in ("generated", "released") else 409
    yield replace(one, route="POST /reports/{}/withdraw", may="MA", then=then)
    yield replace(one, route="POST /reports/{}/acknowledge", may="O" if released else "", body={})


def _actions(one: Case, status: str, action_id: str) -> Iterator[Case]:
    may = "OM" if status in _SHARED else ""
    new = {"title": "Read a book", "due_at": "2026-12-30T00:00:00Z"}
    yield replace(one, route="POST /reports/{}/actions", may=may, body=new, then=201)
    change, drop = (f"{each} /reports/{{}}/actions/{{}}" for each in ("PATCH", "DELETE"))
    here, lost = (replace(one, ids=(*one.ids, each), may=may) for each in (action_id, NOBODYS))
    yield replace(here, route=change, body={"status": "done"})
    yield replace(here, route=drop, then=204)
    if status == "released":
        yield replace(lost, route=change, body={"status": "done"}, then=404)
        yield replace(lost, route=drop, then=404)


# --- ladders, and what every system has ----------------------------------------------------------


def _configs(world: World) -> Iterator[Case]:
    active, old, unused = (world.configs[each] for each in ("active", "old", "unused"))
    yield Case("GET /configs", may="A")
    yield Case("GET /configs/active", may="*")
    new = {"version": "9.0.0", "content": _LADDER}
    yield Case("POST /configs", may="A", body=new, then=201)
    yield Case("POST /configs/validate", may="A", body={"content": _LADDER})
    yield Case("POST /configs/rollback", may="A")
    #: Who was reviewed by the old one knows it, as does the team of today.
    known: dict[str, Any] = {"team": "here", "roster": ROSTERS["here"]}
    for path in ("", "/markdown"):
        yield Case(f"GET /configs/{{}}{path}", (active,), "*")
        yield Case(f"GET /configs/{{}}{path}", (old,), "RTMA", "", **known)
        yield Case(f"GET /configs/{{}}{path}", (unused,), "A", "")
    diff, activate = "GET /configs/{}/diff/{}", "POST /configs/{}/activate"
    yield Case(diff, (active, old), "A", "RTM", **known)
    yield Case(diff, (active, unused), "A", "")
    yield Case(diff, (active, NOBODYS), "A", "", then=404)
    yield Case(activate, (active,), "A")
    yield Case(activate, (old,), "A", "RTM", **known)
    yield Case(activate, (unused,), "A", "")


def _kit(world: World) -> Iterator[Case]:
    """For operators, wherever it is: who administers the company does not run the service."""
    for path in ("/api-keys", "/outbox/sent", "/outbox/dead"):
        yield Case(f"GET {path}", may="K")
    new = {"name": "another", "roles": ["admin"]}
    yield Case("POST /api-keys", may="K", body=new, then=201)
    yield Case("POST /sessions/end", may="K", body={"user": "somebody@example.org"}, then=204)
    yield Case("POST /stream-token", may="K")
    for route in ("DELETE /api-keys/{}", "DELETE /outbox/dead/{}", "POST /outbox/dead/{}/retry"):
        yield Case(route, (NOBODYS,), may="K", then=404)


#: Who was something to a team, and is not any more: looked at every time.
_FORMER: Final = ("fritz", "leaver", "mona", "mover")


def callers(case: Case, number: int) -> list[str]:
    """Of those who are the same to it one, another one each time; the former ones always."""
    alike: dict[object, list[str]] = {}
    for who in CALLERS:
        matters = letters_of(who, case) & {*case.may, *case.seen}
        alike.setdefault(who if who in _FORMER else frozenset(matters), []).append(who)
    return [each[number % len(each)] for each in alike.values()]


def is_allowed(case: Case, who: str) -> bool:
    return bool(set(case.may) & letters_of(who, case))
