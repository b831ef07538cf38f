"""What is done, in words; and what things are called.

Assessments and reports are found by the ids that they must have: those of the plans that there
are, and of who takes part.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Final, get_args

from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders.entities import Plan
from tablewright.systems.ladders.fields import AssessmentType, PlanStatus
from tablewright.systems.ladders.pages.names import names_of
from tablewright.systems.ladders.rules import rights
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

#: Actions as people say them; the log knows them by their names alone.
ACTIONS: Final[Mapping[str, str]] = {
    "assessment.reopen": "Assessment reopened",
    "assessment.submit": "Assessment submitted",
    "config.activate": "Ladder activated",
    "config.rollback": "Ladder rolled back",
    "config.upload": "Ladder stored",
    "explorer.read": "Stored items read",
    "plan.activate": "Plan activated",
    "plan.archive": "Plan archived",
    "plan.complete": "Plan completed",
    "plan.delete": "Draft deleted",
    "plan.draft": "Plan drafted",
    "plan.edit": "Plan changed",
    "plan.enrol": "Member enrolled",
    "plan.reopen": "Plan reopened",
    "plan.withdraw": "Member withdrawn",
    "report.acknowledge": "Report acknowledged",
    "report.action.add": "Growth action added",
    "report.action.change": "Growth action changed",
    "report.action.drop": "Growth action removed",
    "report.build": "Report made",
    "report.export": "Report exported",
    "report.release": "Report released",
    "report.withdraw": "Report withdrawn",
    "team.add": "Members added",
    "team.close": "Team closed",
    "team.create": "Team made",
    "team.edit": "Team changed",
    "team.manager": "Manager assigned",
    "team.remove": "Members removed",
    "user.deactivate": "User deactivated",
    "user.erase": "User erased",
    "user.invite": "User invited",
    "user.link": "First sign-in",
    "user.provision": "First sign-in, not invited",
    "user.reactivate": "User reactivated",
    "user.rename": "User renamed",
    "user.roles": "Roles changed",
}
_SIDES: Final[Mapping[AssessmentType, str]] = {
    "self": "Self-assessment of {}",
    "manager": "Manager\N{RIGHT SINGLE QUOTATION MARK}s assessment of {}",
}
#: Whose ids are computed; archived plans are out of sight here, too.
_OPEN: Final[tuple[PlanStatus, ...]] = ("active", "completed")


async def things_of(company: Company, wanted: Collection[tuple[str, str]]) -> dict[str, str]:
    """What teams, plans, assessments and reports are called, by their ids; ``("team", id)``."""
    by_kind: dict[str, set[str]] = {}
    for kind, thing in wanted:
        by_kind.setdefault(kind, set()).add(thing)
    found: dict[str, str] = {}
    if teams := by_kind.get("team"):
        some = await company.db.run(reads.teams(sorted(teams)))
        found.update((each.team_id, each.team_name) for each in some if each is not None)
    if plans := by_kind.get("plan"):
        known = await company.db.run(reads.plans(sorted(plans)))
        found.update((each.plan_id, _plan_name(each)) for each in known if each is not None)
    computed = by_kind.get("assessment", set()) | by_kind.get("report", set())
    return {**found, **await _computed(company, computed)} if computed else found


def _plan_name(plan: Plan) -> str:
    return f"{plan.plan_name} \N{MIDDLE DOT} {plan.season}"


async def closed_to(
    company: Company, by: Caller, wanted: Collection[tuple[str, str]]
) -> frozenset[str]:
    """Tell which of these assessments and reports an administrator cannot open now.

    Read by plan and member from the indexes, a line each: assessments are large.
    """
    computed = {thing for kind, thing in wanted if kind in ("assessment", "report")}
    if not computed:
        return frozenset()
    pairs = await _pairs(company, computed)
    opened: set[str] = set()
    for plan_id, member in pairs:
        who = by.who(None, member)
        report_id = ids.report_id(plan_id, member)
        report = await company.db.run(reads.report(report_id)) if report_id in computed else None
        if report and rights.may("read_report", who, rights.report_facts(report.status)):
            opened.add(report_id)
        released = None if report is None else report.status
        async for line in company.db.iterate(reads.assessments_of_member(plan_id, member)):
            facts = rights.assessment_facts(line.status, released)
            if rights.may(f"read_{line.assessment_type}_assessment", who, facts):
                opened.add(line.assessment_id)
    return frozenset(computed - opened)


async def _pairs(company: Company, wanted: set[str]) -> set[tuple[str, str]]:
    """Of which plans and members these assessments and reports are."""
    return {
        (plan.plan_id, member)
        for status in _OPEN
        async for plan in company.db.iterate(reads.plans_by_status(status))
        for each, member, _ in _ids_in(plan)
        if each in wanted
    }


async def _computed(company: Company, wanted: set[str]) -> dict[str, str]:
    """Of whom these assessments and reports are."""
    whose: dict[str, tuple[str, str]] = {}
    for status in _OPEN:
        async for plan in company.db.iterate(reads.plans_by_status(status)):
            for each, member, words in _ids_in(plan):
                if each in wanted:
                    whose[each] = (member, words)
    names = await names_of(company, (member for member, _ in whose.values()))
    return {each: words.format(names.of(member)) for each, (member, words) in whose.items()}


def _ids_in(plan: Plan) -> list[tuple[str, str, str]]:
    """Everything that a plan has of its members: its id, whose it is, and its words."""
    found: list[tuple[str, str, str]] = []
    for member in plan.member_ids:
        found.append((ids.report_id(plan.plan_id, member), member, "Report of {}"))
        for kind in get_args(AssessmentType):
            made = ids.assessment_id(plan.plan_id, member, kind)
            found.append((made, member, _SIDES[kind]))
    return found
