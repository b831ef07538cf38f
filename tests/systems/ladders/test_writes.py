"""What the writes refuse, and what an autosave costs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from tests.systems.ladders.world import running

from tablewright.client import Db, RequestEvent
from tablewright.model import Op, attr, definition, put, update
from tablewright.model.errors import (
    AlreadyExists,
    ConditionFailed,
    TransactionCancelled,
    VersionConflict,
)
from tablewright.systems.ladders import demo_items as d
from tablewright.systems.ladders import ids
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.demo import demo
from tablewright.systems.ladders.fields import Activation, Feedback, Reopening
from tablewright.values import item_size

NOW, uuid, stored = d.NOW, d.uuid, d.stored
REOPENING = Reopening(by=uuid(1, d.MANAGER), at=NOW, reason="A project was forgotten.")


@pytest.fixture
def db() -> Iterator[Db]:
    with running() as db:
        yield db


def refused(db: Db, op: Op[Any]) -> list[str]:
    """The entities whose conditions failed."""
    with pytest.raises(TransactionCancelled) as caught:
        db.run(op)
    named = []
    for failure in caught.value.failures:
        member: Any = failure.op
        known = getattr(member, "definition", None)
        named.append(type(member.entity).__name__ if known is None else known.cls.__name__)
    return named


def call(name: str) -> Op[Any]:
    return demo().calls[name]


# --- users and teams -----------------------------------------------------------------------------


def test_an_address_belongs_to_one_user(db: Db) -> None:
    twin = d.user(20).model_copy(update={"email": d.user(4).email})
    assert refused(db, m.invite_user(twin)) == ["EmailLock"]
    assert refused(db, m.provision_user(twin, "0" * 64)) == ["EmailLock"]
    assert db.run(m.user(uuid(1, 20))) is None


def test_a_sign_in_belongs_to_one_user(db: Db) -> None:
    taken = ids.subject_hash(d.ISSUER, uuid(1, 4))
    assert refused(db, m.link_user(uuid(1, 9), taken, NOW)) == ["SubjectLink"]


def test_who_was_deactivated_does_not_come_in(db: Db) -> None:
    assert refused(db, m.link_user(uuid(1, 10), "0" * 64, NOW)) == ["User"]


def test_roles_are_given_by_admins(db: Db) -> None:
    op = m.change_roles(stored(d.user(9)), {"admin"}, uuid(1, d.MANAGER), NOW)
    assert refused(db, op) == ["User"]


def test_who_manages_a_team_is_not_deactivated(db: Db) -> None:
    manager = stored(d.user(d.MANAGER, "manager", managed=(0, 1)))
    assert refused(db, m.deactivate_user(manager, NOW)) == ["User"]


def test_an_erased_address_is_free(db: Db) -> None:
    db.run(call("erase_user"))
    newcomer = d.user(20).model_copy(update={"email": d.user(7).email})
    db.run(m.invite_user(newcomer))
    assert db.require(m.user(newcomer.user_id)).email == newcomer.email


def test_a_manager_is_active_and_has_the_role(db: Db) -> None:
    assert refused(db, m.assign_manager(stored(d.team(2, None)), uuid(1, 9), NOW)) == ["User"]
    db.run(update(m.User, uuid(1, 3)).do(attr(m.User.is_active).set(False)))
    assert refused(db, m.assign_manager(stored(d.team(2, None)), uuid(1, 3), NOW)) == ["User"]


def test_a_manager_is_no_member(db: Db) -> None:
    assert refused(db, m.add_members(uuid(2, 0), [uuid(1, d.MANAGER)], NOW)) == ["Team"]
    full = stored(d.team(0, d.MANAGER, 4, 5, 6, open_plans=True))
    db.run(update(m.User, uuid(1, 4)).do(attr(m.User.roles).set({"manager"})))
    assert refused(db, m.assign_manager(full, uuid(1, 4), NOW)) == ["Team"]


def test_a_team_without_a_manager_is_in_no_index(db: Db) -> None:
    db.run(m.assign_manager(stored(d.team(1, d.MANAGER, 7, 8, open_plans=True)), None, NOW))
    assert [each.team_id for each in db.run(m.teams_of_manager(uuid(1, d.MANAGER)))] == [uuid(2, 0)]


def test_a_team_has_at_most_200_members(db: Db) -> None:
    many = {uuid(1, 1000 + number) for number in range(199)}
    db.run(update(m.Team, uuid(2, 2)).do(attr(m.Team.member_ids).set(many)))
    assert refused(db, m.add_members(uuid(2, 2), [uuid(1, 9), uuid(1, 8)], NOW)) == ["Team"]
    db.run(m.add_members(uuid(2, 2), [uuid(1, 9)], NOW))


def test_a_user_is_in_at_most_20_teams(db: Db) -> None:
    many = {uuid(2, 1000 + number) for number in range(20)}
    db.run(update(m.User, uuid(1, 9)).do(attr(m.User.team_ids).set(many)))
    assert refused(db, m.add_members(uuid(2, 2), [uuid(1, 9)], NOW)) == ["User"]


def test_a_team_with_an_open_plan_is_not_closed(db: Db) -> None:
    with pytest.raises(ConditionFailed):
        db.run(m.close_team(stored(d.team(0, d.MANAGER, 4, 5, 6, open_plans=True)), NOW))


# --- plans ---------------------------------------------------------------------------------------


def test_a_season_has_one_plan(db: Db) -> None:
    assert refused(db, m.draft_plan(d.plan(0, "H2-2026", "draft"))) == ["Plan"]


def test_a_plan_that_is_being_activated_is_not_edited(db: Db) -> None:
    half_way = Activation(by=uuid(1, d.MANAGER), at=NOW - timedelta(hours=1))
    plan = stored(d.plan(1, "2026-H2", "draft", 7, 8, activation=half_way))
    with pytest.raises(ConditionFailed):
        db.run(m.edit_draft(plan))
    with pytest.raises(ConditionFailed):
        db.run(m.delete_draft(plan))


def begin(team: m.Team) -> Op[Any]:
    plan = stored(d.plan(0, "2027-H1", "draft"))
    return m.begin_activation(plan, team, Activation(by=uuid(1, d.MANAGER), at=NOW))


def test_the_roster_is_the_team_of_that_moment(db: Db) -> None:
    assert refused(db, begin(d.team(0, d.MANAGER, 4, 5))) == ["Team"]
    assert db.require(m.plan(ids.plan_id(uuid(2, 0), "2027-H1"))).activation is None


def test_a_team_without_a_manager_is_not_reviewed(db: Db) -> None:
    db.run(update(m.Team, uuid(2, 0)).do(attr(m.Team.manager_id).remove()))
    assert refused(db, begin(d.team(0, d.MANAGER, 4, 5, 6))) == ["Team"]


def test_a_plan_is_activated_once(db: Db) -> None:
    op = begin(d.team(0, d.MANAGER, 4, 5, 6))
    db.run(op)
    assert "Plan" in refused(db, op)
    plan = d.plan(0, "2027-H1", "draft")
    db.run(m.finish_activation(plan, NOW))
    assert refused(db, m.finish_activation(plan, NOW)) == ["Plan"]


def test_an_assessment_that_is_there_is_not_started_again(db: Db) -> None:
    with pytest.raises(AlreadyExists):
        db.run(m.start_assessment(d.assessment(d.CURRENT, 4, "self", "not_started")))


def test_a_plan_does_not_end_earlier(db: Db) -> None:
    sooner = d.CURRENT.end_date - timedelta(days=1)
    with pytest.raises(ConditionFailed):
        db.run(m.edit_active_plan(stored(d.CURRENT), "Review", None, sooner, NOW))


# --- assessments ---------------------------------------------------------------------------------


def save(of: m.Assessment) -> Op[m.Assessment]:
    return m.save_answers(of, {("Craft", "Coding"): 4}, {}, 4, of.assessor_id, NOW)


def test_of_two_tabs_one_wins(db: Db) -> None:
    mine = stored(d.assessment(d.CURRENT, 5, "self", "in_progress", 3))
    db.run(save(mine))
    with pytest.raises(VersionConflict):
        db.run(save(mine))


def test_what_is_submitted_is_locked(db: Db) -> None:
    with pytest.raises(ConditionFailed):
        db.run(save(stored(d.assessment(d.CURRENT, 4, "self", "submitted", 3))))


@pytest.mark.parametrize("name", ["R&D | Ops", "status", "a.b", "x#1"])
def test_any_name_of_a_category_can_be_saved(db: Db, name: str) -> None:
    plan = d.plan(2, "2026-H2", "active", 9)
    mine = d.assessment(plan, 9, "self", "not_started")
    named = mine.model_copy(update={"selections": {name: {}}, "feedback": {name: {name: {}}}})
    db.run(m.start_assessment(named))
    said = Feedback(evidence="x")
    op = m.save_answers(
        stored(named), {(name, name): 2}, {(name, name, 2): said}, 1, uuid(1, 9), NOW
    )
    got = db.run(op)
    assert got.selections == {name: {name: 2}}
    assert got.feedback == {name: {name: {"2": said}}}


def test_a_category_that_the_ladder_does_not_have(db: Db) -> None:
    mine = stored(d.assessment(d.CURRENT, 5, "self", "in_progress", 3))
    with pytest.raises(ConditionFailed):
        db.run(m.save_answers(mine, {("Magic", "Coding"): 4}, {}, 4, uuid(1, 5), NOW))
    told = {("Craft", "Magic", 1): Feedback(evidence="x")}
    with pytest.raises(ConditionFailed):
        db.run(m.save_answers(mine, {}, told, 4, uuid(1, 5), NOW))


def test_nothing_is_submitted_after_the_plan_is_complete(db: Db) -> None:
    db.run(m.complete_plan(stored(d.CURRENT), NOW))
    mine = stored(d.assessment(d.CURRENT, 5, "self", "in_progress", 3))
    assert refused(db, m.submit_assessment(mine, 3, False, NOW)) == ["Plan"]


def test_a_manager_who_was_replaced_does_not_submit(db: Db) -> None:
    team = stored(d.team(0, d.MANAGER, 4, 5, 6, open_plans=True))
    db.run(m.assign_manager(team, uuid(1, d.SECOND_MANAGER), NOW))
    theirs = stored(d.assessment(d.CURRENT, 6, "manager", "in_progress", 2))
    assert refused(db, m.submit_assessment(theirs, 2, False, NOW)) == ["Team"]
    taken_over = db.run(
        m.save_answers(theirs, {("Craft", "Coding"): 3}, {}, 4, uuid(1, d.SECOND_MANAGER), NOW)
    )
    db.run(m.submit_assessment(taken_over, 2, True, NOW))
    assert db.require(m.assessment(theirs.assessment_id)).late is True


def test_an_own_assessment_does_not_ask_for_the_manager(db: Db) -> None:
    mine = stored(d.assessment(d.CURRENT, 5, "self", "in_progress", 3))
    db.run(m.submit_assessment(mine, 3, False, NOW))
    assert db.require(m.assessment(mine.assessment_id)).status == "submitted"


def test_a_report_is_stale_when_its_assessment_is_reopened(db: Db) -> None:
    db.run(call("build_report"))
    own = stored(d.assessment(d.CURRENT, 4, "self", "submitted", 3))
    assert refused(db, m.reopen_assessment(own, None, REOPENING)) == ["Report"]
    db.run(m.reopen_assessment(own, stored(d.report(d.CURRENT, 4)), REOPENING))
    assert db.require(m.report(d.report(d.CURRENT, 4).report_id)).status == "stale"


# --- reports and ladders -------------------------------------------------------------------------


def test_a_report_rests_on_what_is_submitted(db: Db) -> None:
    early = d.report(d.CURRENT, 6)
    assert refused(db, m.build_report(early)) == ["Assessment", "Assessment"]
    other = d.report(d.CURRENT, 4)
    newer = other.source_revisions.model_copy(update={"own": 2})
    stale = other.model_copy(update={"source_revisions": newer})
    assert refused(db, m.build_report(stale)) == ["Assessment"]


def test_of_two_reports_one_is_made(db: Db) -> None:
    db.run(call("build_report"))
    assert refused(db, call("build_report")) == ["Report"]


def test_actions_survive_a_report_made_anew(db: Db) -> None:
    db.run(m.build_report(d.with_action(d.report(d.CURRENT, 4), 5)))
    found = db.require(m.report(d.report(d.CURRENT, 4).report_id))
    db.run(m.build_report(found.model_copy(update={"final_level": 5})))
    again = db.require(m.report(found.report_id))
    assert (again.final_level, again.actions) == (5, found.actions)


def test_a_report_is_acknowledged_after_it_was_released(db: Db) -> None:
    fresh = stored(d.report(d.plan(0, "2026-H1", "completed", 4, 5), 5))
    with pytest.raises(ConditionFailed):
        db.run(m.acknowledge_report(fresh, None, NOW))
    with pytest.raises(TransactionCancelled):
        db.run(m.save_action(fresh, uuid(3, 9), d.action(1), NOW))


def test_a_report_has_room_for_twenty_actions(db: Db) -> None:
    before = d.plan(0, "2026-H1", "completed", 4, 5)
    shared = db.require(m.report(d.report(before, 4).report_id))
    for number in range(2, 21):
        db.run(m.save_action(shared, uuid(3, number), d.action(number), NOW))
        shared = db.require(m.report(shared.report_id))
    assert shared.open_actions == 20
    with pytest.raises(TransactionCancelled):
        db.run(m.save_action(shared, uuid(3, 99), d.action(1), NOW))
    db.run(m.save_action(shared, uuid(3, 5), d.action(1), NOW))


def test_a_version_of_the_ladder_is_uploaded_once(db: Db) -> None:
    with pytest.raises(AlreadyExists):
        db.run(m.upload_config(d.config("1.0.0")))


def test_of_two_activations_one_wins(db: Db) -> None:
    db.run(call("activate_config"))
    assert refused(db, call("activate_config")) == ["ActiveConfig"]
    back = d.pointer("1.0.0", "2.0.0").model_copy(update={"revision": 2})
    db.run(m.activate_config(ids.config_id("1.0.0"), back, NOW))
    assert db.require(m.active_config_line(1)).version == "1.0.0"


def test_the_first_activation_ends_no_other(db: Db) -> None:
    op: Any = m.activate_config(ids.config_id("1.0.0"), d.pointer("1.0.0", None), NOW)
    assert len(op.members) == 2


# --- what it costs -------------------------------------------------------------------------------


def test_an_autosave_of_15_kb_costs_at_most_17_write_units() -> None:
    seen: list[RequestEvent] = []
    with running(hook=seen.append) as db:
        plan = d.plan(2, "2026-H2", "active", 9)
        large = d.assessment(plan, 9, "self", "in_progress", 3)
        said = Feedback(evidence="x" * 3_500)
        feedback = {
            name: {each: {"3": said} for each in inside} for name, inside in d.COMPETENCIES.items()
        }
        large = large.model_copy(update={"feedback": feedback})
        assert 14_000 < item_size(definition(large).encode(large)) < 15 * 1024
        db.run(put(large))
        seen.clear()
        db.run(m.save_answers(stored(large), {("Craft", "Coding"): 4}, {}, 4, uuid(1, 9), NOW))
    assert sum(event.write_units for event in seen) <= 17
