"""Who may do what, by the tables of section 9 and 5: said here once more, in another way."""

from __future__ import annotations

from itertools import chain, combinations

import pytest

from tablewright.systems.ladders.demo_items import ADMIN, MANAGER, SECOND_MANAGER, team, user, uuid
from tablewright.systems.ladders.rules import rights
from tablewright.systems.ladders.rules.rights import ACTIONS, Fact, Who, answer, may
from tablewright.systems.ladders.rules.route_rights import ROUTES, Route, route

ALL_WHO: tuple[Who, ...] = ("reader", "leader", "subject", "member", "manager", "admin")
ALL_FACTS: tuple[Fact, ...] = ("submitted", "released", "acknowledged", "in_use")

#: Somebody as they come; everybody is a reader.
OWN = frozenset[Who](("reader", "subject", "member"))
MATE = frozenset[Who](("reader", "member"))
BOSS = frozenset[Who](("reader", "leader", "manager"))
OTHER_BOSS = frozenset[Who](("reader", "leader"))
CHIEF = frozenset[Who](("reader", "admin"))
STRANGER = frozenset[Who](("reader",))
PEOPLE = (OWN, MATE, BOSS, OTHER_BOSS, CHIEF, STRANGER)

Y, N, U = "yes", "forbidden", "unknown"


def facts(text: str) -> frozenset[Fact]:
    return frozenset(each for each in ALL_FACTS if each in text.split())


@pytest.mark.parametrize(
    ("action", "true", "answers"),
    [
        # Of the person, a teammate, the manager, another manager, an admin, anybody.
        ("read_self_assessment", "", (Y, U, N, U, N, U)),
        ("read_self_assessment", "submitted", (Y, U, Y, U, Y, U)),
        ("write_self_assessment", "", (Y, U, N, U, N, U)),
        ("submit_self_assessment", "", (Y, U, N, U, N, U)),
        ("read_manager_assessment", "", (N, U, Y, U, N, U)),
        ("read_manager_assessment", "submitted", (N, U, Y, U, Y, U)),
        ("read_manager_assessment", "submitted released", (Y, U, Y, U, Y, U)),
        ("write_manager_assessment", "", (N, U, Y, U, N, U)),
        ("submit_manager_assessment", "", (N, U, Y, U, N, U)),
        ("reopen_assessment", "submitted released", (N, U, Y, U, Y, U)),
        ("reopen_assessment", "submitted released acknowledged", (N, U, N, U, Y, U)),
        ("read_report", "submitted", (N, U, Y, U, Y, U)),
        ("read_report", "submitted released", (Y, U, Y, U, Y, U)),
        ("read_report", "", (N, U, Y, U, N, U)),
        ("export_report", "submitted", (N, U, Y, U, Y, U)),
        ("export_report", "submitted released", (Y, U, Y, U, Y, U)),
        ("build_report", "submitted", (N, U, Y, U, Y, U)),
        ("release_report", "submitted", (N, U, Y, U, Y, U)),
        ("acknowledge_report", "submitted released", (Y, U, N, U, N, U)),
        ("acknowledge_report", "submitted", (N, U, N, U, N, U)),
        ("change_actions", "submitted", (N, U, N, U, N, U)),
        ("change_actions", "submitted released", (Y, U, Y, U, N, U)),
        ("list_assessments_of", "", (Y, U, Y, U, Y, U)),
        ("list_reports_of", "", (Y, U, Y, U, Y, U)),
        ("read_team", "", (Y, Y, Y, U, Y, U)),
        ("edit_team", "", (N, N, Y, U, Y, U)),
        ("change_members", "", (N, N, Y, U, Y, U)),
        ("delete_team", "", (N, N, N, U, Y, U)),
        ("assign_manager", "", (N, N, N, U, Y, U)),
        ("read_heatmap", "", (N, N, Y, U, Y, U)),
        ("read_plan", "", (Y, Y, Y, U, Y, U)),
        ("create_plan", "", (N, N, Y, U, Y, U)),
        ("edit_plan", "", (N, N, Y, U, Y, U)),
        ("run_plan", "", (N, N, Y, U, Y, U)),
        ("reopen_plan", "", (N, N, N, U, Y, U)),
        ("change_roster", "", (N, N, Y, U, Y, U)),
        ("read_board", "", (N, N, Y, U, Y, U)),
        ("remind", "", (N, N, Y, U, Y, U)),
        ("list_assessments", "", (N, N, Y, U, Y, U)),
        ("list_reports", "", (N, N, Y, U, Y, U)),
        ("read_me", "", (Y, Y, Y, Y, Y, Y)),
        ("read_own_teams", "", (Y, Y, Y, Y, Y, Y)),
        ("read_own_plans", "", (Y, Y, Y, Y, Y, Y)),
        ("create_team", "", (N, N, Y, Y, Y, N)),
        ("list_teams", "", (N, N, N, N, Y, N)),
        ("list_plans", "", (N, N, N, N, Y, N)),
        ("list_users", "", (N, N, N, N, Y, N)),
        ("create_user", "", (N, N, N, N, Y, N)),
        ("read_user", "", (U, U, U, U, Y, U)),
        ("edit_user", "", (U, U, U, U, Y, U)),
        ("end_user", "", (U, U, U, U, Y, U)),
        ("read_audit", "", (N, N, N, N, Y, N)),
        ("read_active_config", "", (Y, Y, Y, Y, Y, Y)),
        ("read_config", "", (U, U, U, U, Y, U)),
        ("read_config", "in_use", (Y, Y, Y, Y, Y, Y)),
        ("manage_configs", "", (N, N, N, N, Y, N)),
    ],
)
def test_the_table(action: str, true: str, answers: tuple[str, ...]) -> None:
    assert tuple(answer(action, each, facts(true)) for each in PEOPLE) == answers


def test_every_action_is_in_the_table_and_on_a_route() -> None:
    (table,) = (each for each in test_the_table.pytestmark if each.name == "parametrize")
    assert {action for action, *_ in table.args[1]} == set(ACTIONS)
    assert {each for actions in ROUTES.values() for each in actions} == set(ACTIONS)


def subsets(found: tuple[str, ...]) -> list[frozenset[str]]:
    sizes = range(len(found) + 1)
    return [*map(frozenset, chain.from_iterable(combinations(found, size) for size in sizes))]


@pytest.mark.parametrize("action", ACTIONS)
def test_roles_add_up_and_who_may_act_knows(action: str) -> None:
    for true in subsets(ALL_FACTS):
        alone = {each: may(action, frozenset((each,)), true) for each in ALL_WHO}
        for who in subsets(ALL_WHO):
            assert may(action, who, true) == any(alone[each] for each in who)
        assert answer(action, frozenset(), true) == "unknown"
    if action != "read_config":
        assert all(
            ACTIONS[action].seen_by & {each.who, "reader"} for each in ACTIONS[action].grants
        )


def test_an_action_that_does_not_exist_is_a_mistake() -> None:
    with pytest.raises(KeyError):
        may("fly", CHIEF)


# --- who somebody is -----------------------------------------------------------------------------


def test_who_somebody_is_to_an_item() -> None:
    ours = team(0, MANAGER, 4, 5)

    def who(number: int, *roles) -> frozenset[Who]:
        return rights.who_is(user(number, *roles), ours, uuid(1, 4))

    assert who(4) == OWN
    assert who(5) == MATE
    assert who(MANAGER, "manager") == BOSS
    assert who(SECOND_MANAGER, "manager") == OTHER_BOSS
    assert who(ADMIN, "admin") == CHIEF
    assert who(9) == STRANGER
    assert who(4, "admin") == OWN, "an admin is a member as far as it is about them"
    assert who(5, "admin") == MATE | CHIEF


def test_review_of_a_person_who_has_moved_is_their_new_managers() -> None:
    ours, theirs = team(0, MANAGER, 4), uuid(2, 1)
    old, new = user(MANAGER, "manager"), user(SECOND_MANAGER, "manager")
    old.managed_team_ids.add(ours.team_id)
    new.managed_team_ids.add(theirs)

    def who(who, *teams: str) -> frozenset[Who]:
        return rights.who_is(who, ours, uuid(1, 5), frozenset(teams))

    assert (who(old, theirs), who(new, theirs)) == (OTHER_BOSS, BOSS)
    # In both teams, the review is still that of its team's manager.
    assert (who(old, ours.team_id, theirs), who(new, ours.team_id, theirs)) == (BOSS, OTHER_BOSS)
    # In no team, nobody else can answer for it.
    assert (who(old), who(new)) == (BOSS, OTHER_BOSS)


def test_nobody_is_their_own_manager() -> None:
    ours = team(0, MANAGER, 4)
    promoted = rights.who_is(user(MANAGER, "manager"), ours, uuid(1, MANAGER))
    assert promoted == {"reader", "leader", "subject"}
    assert not rights.may("write_manager_assessment", promoted)
    assert not rights.may("release_report", promoted)


def test_who_somebody_is_to_nothing_in_particular() -> None:
    assert rights.who_is(user(4)) == STRANGER
    assert rights.who_is(user(MANAGER, "manager")) == OTHER_BOSS
    assert (
        rights.who_is(user(10, "admin", active=False), team(0, 10, 10), uuid(1, 10)) == frozenset()
    )
    # A team without a manager is nobody's.
    assert rights.who_is(user(9), team(2, None)) == STRANGER


@pytest.mark.parametrize(
    ("status", "report", "true"),
    [
        ("in_progress", None, ""),
        ("submitted", None, "submitted"),
        ("submitted", "generated", "submitted"),
        ("submitted", "released", "submitted released"),
        ("submitted", "acknowledged", "submitted released acknowledged"),
        ("submitted", "stale", "submitted"),
        ("in_progress", "stale", ""),
    ],
)
def test_what_is_true_of_an_assessment(status, report, true: str) -> None:
    assert rights.assessment_facts(status, report) == facts(true)


@pytest.mark.parametrize(
    ("status", "true"),
    [
        ("generated", "submitted"),
        ("released", "submitted released"),
        ("acknowledged", "submitted released acknowledged"),
        ("stale", ""),
    ],
)
def test_what_is_true_of_a_report(status, true: str) -> None:
    assert rights.report_facts(status) == facts(true)


# --- routes --------------------------------------------------------------------------------------


def test_routes_are_found_by_any_names_of_parameters() -> None:
    assert route("delete", "/plans/{plan_id}/members/{user_id}") == Route(
        "DELETE", "/plans/{}/members/{}"
    )
    assert ROUTES[route("GET", "/assessments/{assessment_id}")] == (
        "read_self_assessment",
        "read_manager_assessment",
    )
