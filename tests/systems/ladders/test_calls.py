"""Every pattern of the model, called on the demo one after the other, does what it says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from tests.systems.ladders.world import running

from tablewright.client import Db
from tablewright.systems.ladders import demo_items as d
from tablewright.systems.ladders import ids
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.demo import demo
from tablewright.systems.ladders.people import ERASED

Checking = Callable[[Any, Db], bool]
NOW, uuid = d.NOW, d.uuid
CURRENT = d.CURRENT.plan_id
BEFORE = ids.plan_id(uuid(2, 0), "2026-H1")
COMING = ids.plan_id(uuid(2, 0), "2027-H1")


def user(db: Db, number: int) -> m.User:
    return db.require(m.user(uuid(1, number)))


def team(db: Db, number: int) -> m.Team:
    return db.require(m.team(uuid(2, number)))


def plan(db: Db, plan_id: str) -> m.Plan:
    return db.require(m.plan(plan_id))


def pair(db: Db, member: int) -> tuple[m.Assessment | None, ...]:
    return db.run(m.assessment_pair(CURRENT, uuid(1, member)))


def report(db: Db, plan_id: str, member: int) -> m.Report:
    return db.require(m.report(ids.report_id(plan_id, uuid(1, member))))


def assessment(db: Db, member: int, kind: Any) -> m.Assessment:
    return db.require(m.assessment(ids.assessment_id(CURRENT, uuid(1, member), kind)))


READS: dict[str, Checking] = {
    "user": lambda got, db: got == d.stored(d.user(4, teams=(0,))),
    "email_lock": lambda got, db: got.owner_id == uuid(1, 4),
    "subject_link": lambda got, db: got.owner_id == uuid(1, 4),
    "users": lambda got, db: [each.user_id for each in got] == [uuid(1, 4), uuid(1, 5)],
    "team": lambda got, db: got == d.stored(d.team(0, d.MANAGER, 4, 5, 6, open_plans=True)),
    "teams": lambda got, db: [each.team_name for each in got] == ["Platform", "Payments"],
    "plan": lambda got, db: got == d.stored(d.CURRENT),
    "plans": lambda got, db: [each.season for each in got] == ["2026-H2"],
    "assessment": lambda got, db: (got.team_member_id, got.assessment_type) == (uuid(1, 4), "self"),
    "assessment_pair": lambda got, db: (
        [(each.assessment_type, each.current_level) for each in got]
        == [("self", 3), ("manager", 4)]
    ),
    "assessments": lambda got, db: (
        [each.team_member_id for each in got] == [uuid(1, 4), uuid(1, 5)]
    ),
    "report": lambda got, db: got.status == "released" and got.actions[uuid(3, 1)].title != "",
    "config": lambda got, db: (got.version, got.is_active) == ("1.0.0", 1),
    "active_config": lambda got, db: got.active_config_id == ids.config_id("1.0.0"),
    "reminded": lambda got, db: got.user_ids == {uuid(1, 6)},
}

LISTS: dict[str, Checking] = {
    # Locks and links are in the table, and are no users.
    "all_users": lambda got, db: (
        {each.user_id for each in got} == {uuid(1, n) for n in range(1, 11)}
    ),
    "teams_of_manager": lambda got, db: {each.team_id for each in got} == {uuid(2, 0), uuid(2, 1)},
    "all_teams": lambda got, db: len(got) == 3,
    "plans_of_team": lambda got, db: (
        {each.season for each in got} == {"2026-H1", "2026-H2", "2027-H1"}
    ),
    "plans_by_status": lambda got, db: [each.plan_id for each in got] == [CURRENT],
    "unfinished_activations": lambda got, db: (
        [each.plan_id for each in got] == [ids.plan_id(uuid(2, 1), "2026-H2")]
    ),
    "assessments_of_member": lambda got, db: (
        {(each.assessment_type, each.status) for each in got}
        == {("self", "submitted"), ("manager", "submitted")}
    ),
    "assessments_of_user": lambda got, db: (
        {each.plan_id for each in got} == {CURRENT} and len(got) == 2
    ),
    "board": lambda got, db: (
        len(got) == 6
        and [each.team_member_id for each in got] == sorted(each.team_member_id for each in got)
        and sum(each.answered for each in got) == 16
    ),
    "reports_of_plan": lambda got, db: (
        {(each.team_member_id, each.status) for each in got}
        == {(uuid(1, 4), "released"), (uuid(1, 5), "generated")}
    ),
    "reports_of_user": lambda got, db: (
        [(each.season, each.category_levels["Craft"].own) for each in got] == [("2026-H1", 3)]
    ),
    "due_actions": lambda got, db: (
        [each.team_member_id for each in got] == [uuid(1, 4)]
        and len(db.run(m.due_actions(BEFORE, NOW + timedelta(days=1)))) == 0
    ),
    "active_config_line": lambda got, db: (
        (got.config_id, got.version, got.created_by)
        == (ids.config_id("1.0.0"), "1.0.0", uuid(1, 1))
    ),
    # The pointer is in the table, and is no version.
    "all_configs": lambda got, db: {each.version for each in got} == {"1.0.0", "2.0.0"},
}

USERS: dict[str, Checking] = {
    "invite_user": lambda got, db: (
        db.require(m.email_lock(user(db, 11).email or "")).owner_id == uuid(1, 11)
    ),
    "link_user": lambda got, db: (
        user(db, 11).subject_hashes == {ids.subject_hash(d.ISSUER, uuid(1, 11))}
        and db.require(m.subject_link(*user(db, 11).subject_hashes)).owner_id == uuid(1, 11)
    ),
    "provision_user": lambda got, db: (
        user(db, 12).revision == 1
        and db.run(m.email_lock(user(db, 12).email or "")) is not None
        and db.require(m.subject_link(*user(db, 12).subject_hashes)).owner_id == uuid(1, 12)
    ),
    "rename_user": lambda got, db: got.name == "Quentin Example",
    "change_roles": lambda got, db: user(db, 9).roles == {"manager"},
    "reactivate_user": lambda got, db: got.is_active,
    "deactivate_user": lambda got, db: (
        not user(db, 8).is_active
        and user(db, 8).team_ids == set()
        and team(db, 1).member_ids == {uuid(1, 7)}
    ),
    "erase_user": lambda got, db: (
        (user(db, 7).name, user(db, 7).email) == (ERASED, None)
        and db.run(m.email_lock(d.user(7).email or "")) is None
        and db.run(m.subject_link(ids.subject_hash(d.ISSUER, uuid(1, 7)))) is None
        and team(db, 1).member_ids == set()
    ),
}

TEAMS: dict[str, Checking] = {
    "create_team": lambda got, db: user(db, d.SECOND_MANAGER).managed_team_ids == {uuid(2, 3)},
    "edit_team": lambda got, db: (got.team_name, got.description) == ("Data and Search", None),
    "add_members": lambda got, db: (
        team(db, 2).member_ids == {uuid(1, 9), uuid(1, 12)}
        and user(db, 9).team_ids == user(db, 12).team_ids == {uuid(2, 2)}
    ),
    "remove_members": lambda got, db: (
        team(db, 2).member_ids == {uuid(1, 9)} and user(db, 12).team_ids == set()
    ),
    "assign_manager": lambda got, db: (
        team(db, 2).manager_id == uuid(1, d.SECOND_MANAGER)
        and user(db, d.SECOND_MANAGER).managed_team_ids == {uuid(2, 2), uuid(2, 3)}
        and len(db.run(m.teams_of_manager(uuid(1, d.SECOND_MANAGER)))) == 2
    ),
    "close_team": lambda got, db: not got.is_active,
}

PLANS: dict[str, Checking] = {
    "draft_plan": lambda got, db: got[0].revision == 1,
    "edit_draft": lambda got, db: (got.plan_name, got.revision) == ("First review", 2),
    "delete_draft": lambda got, db: db.run(m.plan(got.plan_id)) is None,
    "begin_activation": lambda got, db: (
        plan(db, COMING).status == "draft"
        and plan(db, COMING).member_ids == {uuid(1, 4), uuid(1, 5), uuid(1, 6)}
        and team(db, 0).open_plan_ids == {CURRENT, COMING}
    ),
    "start_assessment": lambda got, db: (
        got.assessment_id == ids.assessment_id(COMING, uuid(1, 4), "self")
    ),
    "finish_activation": lambda got, db: (
        plan(db, COMING).status == "active" and plan(db, COMING).activation is not None
    ),
    "end_activation": lambda got, db: plan(db, COMING).activation is None,
    "edit_active_plan": lambda got, db: got.end_date == d.CURRENT.end_date + timedelta(days=7),
    "complete_plan": lambda got, db: (
        plan(db, COMING).status == "completed" and team(db, 0).open_plan_ids == {CURRENT}
    ),
    "reopen_plan": lambda got, db: (
        plan(db, COMING).status == "active" and COMING in team(db, 0).open_plan_ids
    ),
    "archive_plan": lambda got, db: got.status == "archived",
    "enrol_member": lambda got, db: (
        uuid(1, 9) in plan(db, CURRENT).member_ids and None not in pair(db, 9)
    ),
    "withdraw_member": lambda got, db: (
        uuid(1, 9) not in plan(db, CURRENT).member_ids
        and [each and each.withdrawn_at for each in pair(db, 9)] == [NOW, NOW]
    ),
    "rejoin_member": lambda got, db: (
        uuid(1, 9) in plan(db, CURRENT).member_ids
        and [each and each.withdrawn_at for each in pair(db, 9)] == [None, None]
    ),
}

ASSESSMENTS: dict[str, Checking] = {
    "save_answers": lambda got, db: (
        got.selections == {"Craft": {"Coding": 3}, "Delivery": {"Planning": 4, "Ownership": 3}}
        and set(got.feedback["Delivery"]["Planning"]) == {"3", "4"}
        and (got.answered, got.revision) == (3, 2)
        and (got.goal_level, got.way_forward) == (5, "Mentor somebody.")
    ),
    "submit_assessment": lambda got, db: (
        (found := assessment(db, 6, "manager")).status == "submitted"
        and (found.current_level, found.submitted_at, found.late) == (2, NOW, None)
    ),
    "reopen_assessment": lambda got, db: (
        (found := assessment(db, 6, "manager")).status == "in_progress"
        and found.submitted_at is None
        and [each.reason for each in found.reopens or ()] == ["A project was forgotten."]
    ),
    "erase_texts": lambda got, db: (
        (got.way_forward, got.withdrawn_at) == (None, NOW)
        and got.feedback["Craft"] == {"Coding": {}, "Design": {}}
        and got.selections["Craft"] == {"Coding": 3}
    ),
}

REPORTS: dict[str, Checking] = {
    "build_report": lambda got, db: report(db, CURRENT, 4).final_level == 4,
    "release_report": lambda got, db: (got.status, got.released_at) == ("released", NOW),
    "withdraw_report": lambda got, db: (got.status, got.released_at) == ("generated", None),
    "save_action": lambda got, db: (
        set((found := report(db, BEFORE, 4)).actions) == {uuid(3, 1), uuid(3, 2)}
        and (found.open_actions, found.next_action_due) == (2, NOW + timedelta(days=5))
    ),
    "drop_action": lambda got, db: (
        set(got.actions) == {uuid(3, 2)}
        and (got.open_actions, got.next_action_due) == (1, NOW + timedelta(days=60))
    ),
    "acknowledge_report": lambda got, db: (
        (got.status, got.ack_comment, got.acknowledged_at) == ("acknowledged", "Thank you.", NOW)
    ),
    "mark_exported": lambda got, db: got.exported_at == NOW and got.status == "acknowledged",
    "erase_report_texts": lambda got, db: (
        (got.actions, got.open_actions, got.next_action_due) == ({}, 0, None)
        and got.way_forward is got.ack_comment is None
        and got.final_level == 4
    ),
}

LADDERS: dict[str, Checking] = {
    "upload_config": lambda got, db: db.run(m.config(ids.config_id("3.0.0"))) == got,
    "activate_config": lambda got, db: (
        db.require(m.active_config_line(1)).version == "2.0.0"
        and db.require(m.active_config()).active_config_id == ids.config_id("2.0.0")
        and db.require(m.config(ids.config_id("1.0.0"))).is_active is None
    ),
}

REMINDERS: dict[str, Checking] = {
    "note_reminded": lambda got, db: (
        db.require(m.reminded(CURRENT, "asked", NOW.date())).user_ids == {uuid(1, 5), uuid(1, 6)}
    ),
}

CHECKS = READS | LISTS | USERS | TEAMS | PLANS | ASSESSMENTS | REPORTS | LADDERS | REMINDERS


def test_every_pattern_has_a_call_and_a_check() -> None:
    assert list(demo().calls) == list(CHECKS)
    assert set(CHECKS) == set(m.model.patterns)


def test_every_call_does_what_its_pattern_says() -> None:
    with running() as db:
        for name, op in demo().calls.items():
            got = db.run(op)
            assert CHECKS[name](got, db), name


def test_membership_is_the_same_on_both_sides() -> None:
    with running() as db:
        for op in demo().calls.values():
            db.run(op)
            people = {each.user_id: each for each in db.iterate(m.all_users())}
            for each in db.iterate(m.all_teams()):
                members = {name for name, who in people.items() if each.team_id in who.team_ids}
                managers = {
                    name for name, who in people.items() if each.team_id in who.managed_team_ids
                }
                assert members == each.member_ids, op.pattern
                assert managers == {each.manager_id} - {None}, op.pattern


def test_the_demo_is_the_same_every_time() -> None:
    assert demo() == demo()
