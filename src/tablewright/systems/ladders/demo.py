"""The demo: items, and one call of each pattern in an order in which they succeed on them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from tablewright.model import Op
from tablewright.model.demo import Demo
from tablewright.systems.ladders import ids
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.demo_items import (
    ADMIN,
    CURRENT,
    ISSUER,
    MANAGER,
    NOW,
    SECOND_MANAGER,
    action,
    assessment,
    config,
    items,
    plan,
    pointer,
    reminded,
    report,
    stored,
    team,
    user,
    uuid,
    with_action,
)
from tablewright.systems.ladders.fields import Activation, Feedback, Reopening


def demo() -> Demo:
    """A company with three teams in the middle of its autumn review."""
    return Demo(items(), calls(), now=NOW)


def calls() -> dict[str, Op[Any]]:
    """By the pattern's name; reads first, so that they see the items as they are."""
    made = [*_reads(), *_lists(), *_users(), *_teams(), *_plans(), *_assessments(), *_reports()]
    return {op.pattern: op for op in (*made, *_ladders(), *_reminders())}


def _reads() -> Iterator[Op[Any]]:
    yield m.user(uuid(1, 4))
    yield m.email_lock("lina.4@example.com")
    yield m.subject_link(ids.subject_hash(ISSUER, uuid(1, 4)))
    yield m.users([uuid(1, 4), uuid(1, 5)])
    yield m.team(uuid(2, 0))
    yield m.teams([uuid(2, 0), uuid(2, 1)])
    yield m.plan(ids.plan_id(uuid(2, 0), "2026-H2"))
    yield m.plans([CURRENT.plan_id])
    yield m.assessment(ids.assessment_id(CURRENT.plan_id, uuid(1, 4), "self"))
    yield m.assessment_pair(CURRENT.plan_id, uuid(1, 4))
    yield m.assessments([ids.assessment_id(CURRENT.plan_id, uuid(1, n), "self") for n in (4, 5)])
    yield m.report(ids.report_id(ids.plan_id(uuid(2, 0), "2026-H1"), uuid(1, 4)))
    yield m.config(ids.config_id("1.0.0"))
    yield m.active_config()
    yield m.reminded(CURRENT.plan_id, "asked", NOW.date())


def _lists() -> Iterator[Op[Any]]:
    before = ids.plan_id(uuid(2, 0), "2026-H1")
    yield m.all_users()
    yield m.teams_of_manager(uuid(1, MANAGER))
    yield m.all_teams()
    yield m.plans_of_team(uuid(2, 0))
    yield m.plans_by_status("active")
    yield m.unfinished_activations("draft")
    yield m.assessments_of_member(CURRENT.plan_id, uuid(1, 4))
    yield m.assessments_of_user(uuid(1, 4))
    yield m.board(CURRENT.plan_id)
    yield m.reports_of_plan(before)
    yield m.reports_of_user(uuid(1, 4))
    yield m.due_actions(before, NOW + timedelta(days=7))
    yield m.active_config_line(1)
    yield m.all_configs()


def _users() -> Iterator[Op[Any]]:
    yield m.invite_user(user(11).model_copy(update={"subject_hashes": set()}))
    yield m.link_user(uuid(1, 11), ids.subject_hash(ISSUER, uuid(1, 11)), NOW)
    yield m.provision_user(user(12), ids.subject_hash(ISSUER, uuid(1, 12)))
    yield m.rename_user(stored(user(9)), "Quentin Example", NOW)
    yield m.change_roles(stored(user(9), 2), {"manager"}, uuid(1, ADMIN), NOW)
    yield m.reactivate_user(stored(user(10, active=False)), NOW)
    yield m.deactivate_user(stored(user(8, teams=(1,))), NOW)
    yield m.erase_user(stored(user(7, teams=(1,))), NOW)


def _teams() -> Iterator[Op[Any]]:
    yield m.create_team(team(3, SECOND_MANAGER))
    yield m.edit_team(stored(team(3, SECOND_MANAGER)), "Data and Search", None, NOW)
    yield m.add_members(uuid(2, 2), [uuid(1, 9), uuid(1, 12)], NOW)
    yield m.remove_members(uuid(2, 2), [uuid(1, 12)], NOW)
    yield m.assign_manager(stored(team(2, None), 3), uuid(1, SECOND_MANAGER), NOW)
    yield m.close_team(stored(team(3, SECOND_MANAGER), 2), NOW)


def _plans() -> Iterator[Op[Any]]:
    begun = Activation(by=uuid(1, MANAGER), at=NOW)
    yield m.draft_plan(plan(2, "2026-H2", "draft"))
    renamed = stored(plan(2, "2026-H2", "draft")).model_copy(update={"plan_name": "First review"})
    yield m.edit_draft(renamed)
    yield m.delete_draft(stored(renamed, 2))
    coming = plan(0, "2027-H1", "draft")
    yield m.begin_activation(stored(coming), team(0, MANAGER, 4, 5, 6), begun)
    yield m.start_assessment(assessment(coming, 4, "self", "not_started"))
    yield m.finish_activation(coming, NOW)
    yield m.end_activation(coming, NOW)
    longer = coming.end_date + timedelta(days=7)
    active = plan(0, "2027-H1", "active", 4, 5, 6)
    yield m.edit_active_plan(stored(active, 4), "Spring review", None, longer, NOW)
    yield m.complete_plan(stored(active, 5), NOW)
    yield m.reopen_plan(stored(active, 6), NOW)
    yield m.archive_plan(stored(plan(1, "2026-H1", "completed", 7, 8)), NOW)
    own, managers = (assessment(CURRENT, 9, kind, "not_started") for kind in ("self", "manager"))
    yield m.enrol_member(CURRENT, own, managers, NOW)
    yield m.withdraw_member(CURRENT, uuid(1, 9), NOW)
    yield m.rejoin_member(CURRENT, uuid(1, 9), NOW)


def _assessments() -> Iterator[Op[Any]]:
    mine = assessment(CURRENT, 5, "self", "in_progress", 3)
    said = Feedback(evidence="Planned the release.", next_level_feedback="Plan a quarter.")
    levels = {("Delivery", "Planning"): 4, ("Craft", "Design"): None}
    told = {("Delivery", "Planning", 4): said}
    goal = m.Outlook(5, "Mentor somebody.")
    yield m.save_answers(stored(mine), levels, told, 3, uuid(1, 5), NOW, goal)
    managers = assessment(CURRENT, 6, "manager", "in_progress", 2)
    yield m.submit_assessment(stored(managers), 2, False, NOW)
    again = Reopening(by=uuid(1, MANAGER), at=NOW, reason="A project was forgotten.")
    yield m.reopen_assessment(stored(managers, 2), None, again)
    yield m.erase_texts(stored(mine, 2), NOW)


def _reports() -> Iterator[Op[Any]]:
    yield m.build_report(report(CURRENT, 4))
    before = plan(0, "2026-H1", "completed", 4, 5)
    fresh = report(before, 5)
    yield m.release_report(stored(fresh), NOW)
    yield m.withdraw_report(stored(fresh, 2), NOW)
    shared = with_action(report(before, 4, "released"), 5)
    yield m.save_action(stored(shared), uuid(3, 2), action(60), NOW)
    both = shared.model_copy(update={"actions": {**shared.actions, uuid(3, 2): action(60)}})
    yield m.drop_action(stored(both, 2), uuid(3, 1), NOW)
    yield m.acknowledge_report(stored(both, 3), "Thank you.", NOW)
    yield m.mark_exported(shared, NOW)
    yield m.erase_report_texts(stored(both, 5), NOW)


def _reminders() -> Iterator[Op[Any]]:
    asked = m.Reminded.model_validate({**reminded().model_dump(), "revision": 1})
    asked.user_ids.add(uuid(1, 5))
    yield m.note_reminded(asked)


def _ladders() -> Iterator[Op[Any]]:
    yield m.upload_config(config("3.0.0"))
    yield m.activate_config(ids.config_id("2.0.0"), stored(pointer("2.0.0", "1.0.0")), NOW)
