"""People and teams, reviews and reports."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from soak.image import Image, Item
from soak.invariants.finding import invariant, unless
from soak.journal import Journal

USERS, TEAMS, PLANS = "Users", "Teams", "AssessmentPlans"
FORMS, REPORTS, CONFIGS = "Assessments", "AssessmentReports", "ConfigVersions"


def _by(image: Image, table: str, name: str) -> dict[str, Item]:
    return {str(each[name]): each for each in image.items(table) if name in each}


def _users(image: Image) -> dict[str, Item]:
    """Without the locks beside them."""
    return {str(each["userId"]): each for each in image.items(USERS) if "isActive" in each}


@invariant("ladders: users and teams name each other")
def membership(image: Image) -> Iterator[str | None]:
    users, teams = _users(image), _by(image, TEAMS, "teamId")
    for user_id, user in users.items():
        for team_id in user.get("teamIds", frozenset()):
            members = teams.get(team_id, {}).get("memberIds", frozenset())
            yield unless(user_id in members, f"{team_id} does not know {user_id}")
        for team_id in user.get("managedTeamIds", frozenset()):
            manager = teams.get(team_id, {}).get("managerId")
            yield unless(manager == user_id, f"{team_id} is managed by {manager}, not {user_id}")
    for team_id, team in teams.items():
        for user_id in team.get("memberIds", frozenset()):
            known = users.get(user_id, {}).get("teamIds", frozenset())
            yield unless(team_id in known, f"{user_id} does not know of {team_id}")
        manager = team.get("managerId")
        if manager is not None:
            managed = users.get(manager, {}).get("managedTeamIds", frozenset())
            yield unless(team_id in managed, f"{manager} does not know of {team_id}")


@invariant("ladders: addresses have one user each, and users have theirs")
def addresses(image: Image) -> Iterator[str | None]:
    users = _users(image)
    owners = {
        str(each["email"]): str(each["ownerId"])
        for each in image.items(USERS)
        if str(each["userId"]).startswith("EMAIL#")
    }
    for email, owner in owners.items():
        yield unless(
            users.get(owner, {}).get("email") == email, f"{email} is of {owner}, who is not"
        )
    for user_id, user in users.items():
        own = user.get("email")
        if own is not None:
            yield unless(owners.get(own) == user_id, f"{own} is not kept for {user_id}")


@invariant("ladders: one version of the ladder is active")
def active(image: Image) -> Iterator[str | None]:
    configs = _by(image, CONFIGS, "configId")
    marked = {name for name, each in configs.items() if each.get("isActive") == 1}
    pointer = configs.get("ACTIVE", {}).get("activeConfigId")
    yield unless(marked == {pointer}, f"active are {sorted(marked)}, named is {pointer}")


@invariant("ladders: two assessments for each member of a plan")
def pairs(image: Image) -> Iterator[str | None]:
    forms: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for each in image.items(FORMS):
        forms[each["planId"]][each["teamMemberId"], each["assessmentType"]] += 1
    for plan_id, plan in _by(image, PLANS, "planId").items():
        # Notes of who was reminded lie beside the plans.
        if plan.get("entity") == "Reminded" or plan["status"] == "draft":
            continue
        for member in plan.get("memberIds", frozenset()):
            found = [forms[plan_id][member, kind] for kind in ("self", "manager")]
            yield unless(found == [1, 1], f"{plan_id}: {member} has {found}")


@invariant("ladders: what was acknowledged is there, at its revision or a later one")
def kept(image: Image, journal: Journal) -> Iterator[str | None]:
    forms, users = _by(image, FORMS, "assessmentId"), _users(image)
    for deed in journal.sure("ladders", "user"):
        yield unless(deed.key in users, f"user {deed.key} is gone")
    for deed in journal.sure("ladders", "save"):
        revision = forms.get(deed.key, {}).get("revision", 0)
        known = deed.facts["revision"]
        yield unless(revision >= known, f"{deed.key} is at {revision}, told was {known}")
    for deed in journal.sure("ladders", "submitted"):
        status = forms.get(deed.key, {}).get("status")
        yield unless(status == "submitted", f"{deed.key} is {status}")
    reports = _by(image, REPORTS, "reportId")
    for deed in journal.sure("ladders", "report"):
        yield unless(deed.key in reports, f"report {deed.key} is gone")


@invariant("ladders: reports are of the revisions that were submitted")
def reports(image: Image) -> Iterator[str | None]:
    forms = _by(image, FORMS, "assessmentId")
    for report in image.items(REPORTS):
        for side, name in (("self", "selfAssessmentId"), ("manager", "managerAssessmentId")):
            form = forms.get(report[name], {})
            says, is_ = report["sourceRevisions"][side], form.get("revision")
            fine = says == is_ or form.get("status") != "submitted"
            yield unless(fine, f"{report['reportId']}: made of {says}, {side} is at {is_}")
