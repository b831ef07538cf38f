"""A company whose teams are reviewed: people write about themselves, managers about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from soak.load.driver import Driver, Interrupted

LADDER = """# Craft

## Code

1. Reads well.
2. Shapes a service.
3. Sets the standard.

## Design

1. Draws.
2. Plans.
3. Leads.
"""
_PLACES = (("Craft", "Code"), ("Craft", "Design"))


@dataclass
class Form:
    """An assessment, who writes it, and what they know of it."""

    assessment_id: str
    token: str
    subject: str
    revision: int = 1
    saves: int = 0
    chosen: dict[str, int] = field(default_factory=dict)


@dataclass
class Review:
    """A team's plan, and the forms that are not submitted yet."""

    team_id: str
    plan_id: str
    manager: str
    #: Users by their ids, with what they show.
    members: dict[str, str]
    forms: list[Form]


class Ladders(Driver):
    system = "ladders"
    clients = 3

    async def prepare(self) -> None:
        self.numbers = count(1)
        self.reviews: list[Review] = []
        await self._version()

    async def step(self) -> None:
        if len(self.reviews) < self.clients:
            self.reviews.append(await self._review())
            return
        review = self.chance.choice(self.reviews)
        chance = self.chance.random()
        if chance < 0.08:
            await self._version()
        elif chance < 0.15:
            await self._join_and_leave(review)
        elif chance < 0.3:
            await self._look(review)
        elif review.forms:
            await self._write(review, self.chance.choice(review.forms))
        else:
            await self._finish(review)

    # --- setting up ------------------------------------------------------------------------------

    async def _version(self) -> None:
        """Another version of the ladder becomes the active one."""
        body = {"version": f"1.{next(self.numbers)}.0", "content": LADDER}
        reply = await self.ask("POST", "/configs", body, token=self.admin())
        if not reply.ok:
            raise Interrupted("no ladder")
        config = str(reply.body["config_id"])
        self.audited(reply, "config.upload", f"config/{config}")
        reply = await self.ask("POST", f"/configs/{config}/activate", token=self.admin())
        self.audited(reply, "config.activate", f"config/{config}")

    async def _user(self, *roles: str) -> tuple[str, str]:
        """Their id, and what they show."""
        name = f"l{next(self.numbers)}"
        body = {"email": f"{name}@people.example", "name": name, "roles": list(roles)}
        reply = await self.ask("POST", "/users", body, token=self.admin())
        if not reply.ok:
            raise Interrupted("nobody invited")
        user_id, token = str(reply.body["user_id"]), self.person(name)
        self.audited(reply, "user.invite", f"user/{user_id}")
        self.note("user", user_id, reply.outcome)
        await self.surely("GET", "/me", token=token)
        return user_id, token

    async def _review(self) -> Review:
        _, manager = await self._user("manager")
        reply = await self.ask("POST", "/teams", {"team_name": "Soakers"}, token=manager)
        if not reply.ok:
            raise Interrupted("no team")
        team_id = str(reply.body["team_id"])
        self.audited(reply, "team.create", f"team/{team_id}")
        members = dict([await self._user() for _ in range(2)])
        users = {"user_ids": list(members)}
        reply = await self.surely("POST", f"/teams/{team_id}/members", users, token=manager)
        if not reply.ok:
            raise Interrupted("nobody joined")
        plan_id = await self._plan(team_id, manager)
        forms = await self._forms(plan_id, manager, members)
        return Review(team_id, plan_id, manager, members, forms)

    async def _plan(self, team_id: str, manager: str) -> str:
        body = {
            "season": "2035-H2",
            "plan_name": "Soak review",
            "start_date": "2026-01-01T00:00:00Z",
            "end_date": "2035-11-30T17:00:00Z",
        }
        reply = await self.ask("POST", f"/teams/{team_id}/plans", body, token=manager)
        if not reply.ok:
            raise Interrupted("no plan")
        plan_id = str(reply.body["plan_id"])
        reply = await self.surely("POST", f"/plans/{plan_id}/activate", token=manager)
        self.audited(reply, "plan.activate", f"plan/{plan_id}")
        if not reply.ok:
            raise Interrupted("not begun")
        self.note("plan", plan_id, "acknowledged")
        return plan_id

    async def _forms(self, plan_id: str, manager: str, members: dict[str, str]) -> list[Form]:
        listed = await self.surely("GET", f"/plans/{plan_id}/assessments", token=manager)
        if not listed.ok:
            raise Interrupted("no assessments")
        return [
            Form(
                each["assessment_id"],
                members[each["team_member_id"]] if each["assessment_type"] == "self" else manager,
                each["team_member_id"],
            )
            for each in listed.body["items"]
            if each["team_member_id"] in members and each["status"] != "submitted"
        ]

    # --- writing ---------------------------------------------------------------------------------

    async def _write(self, review: Review, form: Form) -> None:
        if form.saves >= 6 and len(form.chosen) == len(_PLACES):
            await self._submit(review, form)
            return
        category, competency = _PLACES[form.saves % len(_PLACES)]
        level = self.chance.randrange(1, 4)
        said = {
            "category": category,
            "competency": competency,
            "level": level,
            "evidence": f"Save {form.saves}: " + "word " * self.chance.randrange(5, 80),
        }
        path = f"/assessments/{form.assessment_id}"
        body = {"changes": [said], "goal_level": 2}
        match = f'"{form.revision}"'
        reply = await self.ask("PATCH", path, body, token=form.token, If_Match=match)
        if reply.ok:
            form.revision, form.saves = int(reply.body["revision"]), form.saves + 1
            form.chosen[competency] = level
        self.note("save", form.assessment_id, reply.outcome, revision=form.revision)
        if not reply.ok:
            await self._read(form)

    async def _read(self, form: Form) -> str:
        """What the form is like now, and its status; who does not know reads it again."""
        reply = await self.surely("GET", f"/assessments/{form.assessment_id}", token=form.token)
        if not reply.ok:
            return ""
        form.revision = int(reply.body["revision"])
        form.chosen = dict(reply.body["selections"].get("Craft", {}))
        form.saves = max(form.saves, len(form.chosen))
        return str(reply.body["status"])

    async def _submit(self, review: Review, form: Form) -> None:
        path = f"/assessments/{form.assessment_id}/submit"
        reply = await self.surely("POST", path, token=form.token)
        # Who is refused may have submitted it before, and not have been told.
        if reply.ok or await self._read(form) == "submitted":
            self.note("submitted", form.assessment_id, "acknowledged")
            if form in review.forms:
                review.forms.remove(form)
        else:
            form.saves = 0

    async def _finish(self, review: Review) -> None:
        """Everything is in: reports are made and released, and the team's plan ends."""
        self.reviews.remove(review)  # nobody else does the same
        try:
            await self._reported(review)
        except Interrupted:
            self.reviews.append(review)
            raise
        path = f"/plans/{review.plan_id}/complete"
        reply = await self.surely("POST", path, token=review.manager)
        self.audited(reply, "plan.complete", f"plan/{review.plan_id}")

    async def _reported(self, review: Review) -> None:
        for user_id, token in review.members.items():
            path = f"/plans/{review.plan_id}/reports/{user_id}"
            made = await self.surely("POST", path, token=review.manager)
            if made.code == "NOT_SUBMITTED":
                # A list that was late did not have all of them.
                review.forms = await self._forms(review.plan_id, review.manager, review.members)
            if not made.ok:
                raise Interrupted("no report")
            report = str(made.body["report_id"])
            self.note("report", report, made.outcome)
            await self.surely("POST", f"/reports/{report}/release", token=review.manager)
            await self.ask("GET", f"/reports/{report}", token=token)
            await self.ask("POST", f"/reports/{report}/acknowledge", token=token)

    # --- looking, and coming and going -----------------------------------------------------------

    async def _look(self, review: Review) -> None:
        await self.ask("GET", f"/plans/{review.plan_id}/board", token=review.manager)
        await self.ask("GET", "/me/tasks", token=self.chance.choice(list(review.members.values())))

    async def _join_and_leave(self, review: Review) -> None:
        """Somebody joins the team after its review began, and may leave again."""
        user_id, _ = await self._user()
        path = f"/teams/{review.team_id}/members"
        body: dict[str, Any] = {"user_ids": [user_id]}
        reply = await self.ask("POST", path, body, token=review.manager)
        self.audited(reply, "team.add", f"team/{review.team_id}")
        if self.chance.random() < 0.6:
            await self.ask("DELETE", f"{path}/{user_id}", token=review.manager)
