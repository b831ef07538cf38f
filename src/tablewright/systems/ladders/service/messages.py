"""What people are told while they are not looking.

Each message joins the transaction of what it tells of. It names plans and ids, never people: it is
stored, and goes to webhooks, as it is. Whom it is for is its ``person``, whose address is looked up
when the mail is sent, and only then: whoever was erased or deactivated gets nothing, and what a
manager is told goes to who manages the team by then.

===========================  ===================================================================
``user/{id}``                one user
``manager/{team}``           who manages a team when the mail is sent
``manager/{team}/{member}``  who answers for a member by then; they may have moved to another team
===========================  ===================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic import JsonValue

from tablewright.model import Put
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.kit.outbox import message
from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders.entities import Assessment, Plan, Report, User
from tablewright.systems.ladders.rules import reminders
from tablewright.systems.ladders.rules.reminders import Reminder
from tablewright.systems.ladders.service import mail_texts
from tablewright.systems.ladders.service.mail_texts import Mail
from tablewright.systems.ladders.service.members import managers_of_members

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

INVITED: Final = "ladders.user.invited"
OPENED: Final = "ladders.plan.activated"
YOUR_REVIEW: Final = "ladders.assessment.opened"
REOPENED: Final = "ladders.assessment.reopened"
REPORT_READY: Final = "ladders.report.generated"
REPORT_RELEASED: Final = "ladders.report.released"
REPORT_ACKNOWLEDGED: Final = "ladders.report.acknowledged"
REMINDER: Final = "ladders.reminder"


class Messages:
    """Messages to people, and where they get them."""

    def __init__(self, company: Company) -> None:
        self._company = company

    # --- people ----------------------------------------------------------------------------------

    def invited(self, user: User) -> Put[OutboxEntry]:
        """Tell somebody that they can sign in."""
        mail = mail_texts.invited()
        link = self._link(mail)
        body: dict[str, JsonValue] = {
            "person": _user(user.user_id),
            "title": mail.title,
            "text": f"{mail.title}\n\n{mail.text}\n\n{link}\n",
            "url": link,
        }
        return self._queued(INVITED, _user(user.user_id), body)

    # --- reviews ---------------------------------------------------------------------------------

    def opened(self, plan: Plan) -> Put[OutboxEntry]:
        """A review has begun: one message, to who manages the team."""
        mail = mail_texts.opened(plan, self._zone)
        return self._message(OPENED, plan, _manager(plan.team_id), mail)

    def your_review(self, plan: Plan, member_id: str) -> Put[OutboxEntry]:
        """Tell a member that their review has begun."""
        own = ids.assessment_id(plan.plan_id, member_id, "self")
        mail = mail_texts.your_review(plan, own, self._zone)
        return self._message(YOUR_REVIEW, plan, _user(member_id), mail, {"assessment_id": own})

    def reopened(self, plan: Plan, assessment: Assessment) -> Put[OutboxEntry]:
        """Somebody has to go on with what was submitted."""
        own = assessment.assessment_type == "self"
        member = assessment.team_member_id
        to = _user(member) if own else _manager(assessment.team_id, member)
        data: dict[str, JsonValue] = {
            "assessment_id": assessment.assessment_id,
            "assessment_type": assessment.assessment_type,
        }
        return self._message(REOPENED, plan, to, mail_texts.reopened(assessment), data)

    # --- reports ---------------------------------------------------------------------------------

    def report_ready(self, plan: Plan, report: Report) -> Put[OutboxEntry]:
        """To the manager, who releases it."""
        mail = mail_texts.report_ready(report)
        return self._message(REPORT_READY, plan, _manager_of(report), mail, _of(report))

    def report_released(self, plan: Plan, report: Report) -> Put[OutboxEntry]:
        """To whom it is about."""
        mail = mail_texts.report_released(report)
        return self._message(REPORT_RELEASED, plan, _user(report.team_member_id), mail, _of(report))

    def report_acknowledged(self, plan: Plan, report: Report) -> Put[OutboxEntry]:
        """To the manager, who released it."""
        mail = mail_texts.report_acknowledged(report)
        return self._message(REPORT_ACKNOWLEDGED, plan, _manager_of(report), mail, _of(report))

    # --- reminders -------------------------------------------------------------------------------

    def review_reminder(
        self, plan: Plan, reminder: Reminder, user_id: str, *, own: bool, others: int = 0
    ) -> Put[OutboxEntry]:
        """Of one's own assessment, or of so many that one writes about others."""
        mail = mail_texts.review_reminder(reminder, own, others, self._zone)
        return self._reminder(plan, reminder, user_id, mail)

    def action_reminder(self, plan: Plan, reminder: Reminder, report: Report) -> Put[OutboxEntry]:
        """Of something that a member wanted to do."""
        mail = mail_texts.action_reminder(reminder, report, self._zone)
        return self._reminder(plan, reminder, report.team_member_id, mail)

    # --- where mails go --------------------------------------------------------------------------

    async def address_of(self, person: str) -> str | None:
        """Where somebody gets mail now; None if they are gone."""
        kind, _, rest = person.partition("/")
        one, _, member = rest.partition("/")
        if not ids.is_uuid(one) or (member and not ids.is_uuid(member)):
            return None
        if kind == "manager":
            return await self._of_user(await self._manager_now(one, member))
        return await self._of_user(one) if kind == "user" else None

    async def _manager_now(self, team_id: str, member_id: str) -> str | None:
        team = await self._company.db.run(reads.team(team_id))
        if team is None or not member_id:
            return None if team is None else team.manager_id
        return (await managers_of_members(self._company, team, [member_id]))[member_id]

    async def _of_user(self, user_id: str | None) -> str | None:
        if user_id is None:
            return None
        found = await self._company.db.run(reads.user(user_id))
        return found.email if found is not None and found.is_active else None

    # --- how -------------------------------------------------------------------------------------

    def _link(self, mail: Mail) -> str:
        return f"{self._company.runtime.settings.url}/ladders{mail.page}"

    @property
    def _zone(self) -> str:
        return self._company.options.zone

    def _reminder(
        self, plan: Plan, reminder: Reminder, user_id: str, mail: Mail
    ) -> Put[OutboxEntry]:
        data: dict[str, JsonValue] = {
            "key": reminders.key(reminder, plan.plan_id, user_id),
            "reminder": reminder.kind,
        }
        return self._message(REMINDER, plan, _user(user_id), mail, data)

    def _message(
        self,
        kind: str,
        plan: Plan,
        person: str,
        mail: Mail,
        data: dict[str, JsonValue] | None = None,
    ) -> Put[OutboxEntry]:
        """What one person is told leaves in its order, and holds up nobody else."""
        link = self._link(mail)
        body: dict[str, JsonValue] = {
            "person": person,
            "title": f"{plan.plan_name}: {mail.title}",
            "text": f"{plan.plan_name}\n\n{mail.title}\n\n{mail.text}\n\n{link}\n",
            "url": link,
            "plan_id": plan.plan_id,
            "team_id": plan.team_id,
            "season": plan.season,
            **(data or {}),
        }
        return self._queued(kind, person, body)

    def _queued(self, kind: str, person: str, body: dict[str, JsonValue]) -> Put[OutboxEntry]:
        return message(kind, person, body, at=self._company.now())


def _user(user_id: str) -> str:
    return f"user/{user_id}"


def _manager(team_id: str, member_id: str = "") -> str:
    return f"manager/{team_id}/{member_id}" if member_id else f"manager/{team_id}"


def _manager_of(report: Report) -> str:
    return _manager(report.team_id, report.team_member_id)


def _of(report: Report) -> dict[str, JsonValue]:
    return {"report_id": report.report_id}
