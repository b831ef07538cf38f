"""What mails say: a title, a text, and the page to go to.

Nobody is called by name, and nothing is repeated of what people have written: a message is stored
and goes to webhooks as it is. Whoever reads it knows who they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from tablewright.systems.ladders.entities import Assessment, Plan, Report
from tablewright.systems.ladders.fields import ReminderKind
from tablewright.systems.ladders.rules.reminders import Reminder


class Mail(NamedTuple):
    """What one mail says."""

    title: str
    text: str
    #: Below ``/ladders``.
    page: str


def local(at: datetime, zone: str) -> str:
    """``4 December 2026, 09:00 (Europe/Berlin)``: as the clock there shows it."""
    there = at.astimezone(ZoneInfo(zone))
    return f"{there.day} {there:%B %Y, %H:%M} ({zone})"


# --- reviews -------------------------------------------------------------------------------------


def opened(plan: Plan, zone: str) -> Mail:
    return Mail(
        "The review has begun",
        f"Members who take part: {len(plan.member_ids)}. Each assesses themselves, and you assess "
        f"each of them. The last day is {local(plan.end_date, zone)}.",
        f"/plans/{plan.plan_id}/board",
    )


def your_review(plan: Plan, assessment_id: str, zone: str) -> Mail:
    return Mail(
        "Your review has begun",
        "Assess yourself: choose a level for each competency and write down what shows it. Your "
        f"manager assesses you, too. The last day is {local(plan.end_date, zone)}.",
        f"/assessments/{assessment_id}",
    )


def invited() -> Mail:
    return Mail(
        "You are invited to Ladders",
        "An administrator has invited you to career-ladder assessments. Sign in with the address "
        "that this mail was sent to.",
        "/",
    )


def reopened(assessment: Assessment) -> Mail:
    return Mail(
        "An assessment was reopened",
        "It can be changed again, and has to be submitted once more. Why it was reopened stands "
        "on its page.",
        f"/assessments/{assessment.assessment_id}",
    )


# --- reports -------------------------------------------------------------------------------------


def report_ready(report: Report) -> Mail:
    return Mail(
        "A report is ready",
        "Both assessments are in, and were compared. Look at what you do not agree on, talk about "
        "it, and release the report: only then it can be read by whom it is about.",
        f"/reports/{report.report_id}",
    )


def report_released(report: Report) -> Mail:
    return Mail(
        "Your report is there",
        "You can read how you and your manager see your work, side by side. Acknowledge it when "
        "you have talked about it, and note what you want to do next.",
        f"/reports/{report.report_id}",
    )


def report_acknowledged(report: Report) -> Mail:
    return Mail(
        "A report was acknowledged",
        "The report that you released has been read.",
        f"/reports/{report.report_id}",
    )


# --- reminders -----------------------------------------------------------------------------------


def review_reminder(reminder: Reminder, own: bool, others: int, zone: str) -> Mail:
    """To somebody whose own assessment is open, or so many that they write about others."""
    ends = local(reminder.deadline, zone)
    what = _open(own, others)
    title, text = _REVIEWS[reminder.kind](ends)
    return Mail(title, f"{what} {text}", "/")


def _open(own: bool, others: int) -> str:
    if own:
        return "Your assessment of yourself is not submitted yet."
    if others == 1:
        return "An assessment that you write about a member is not submitted yet."
    return f"{others} assessments that you write about members are not submitted yet."


def _due(ends: str) -> tuple[str, str]:
    return "Your review ends soon", f"The review ends on {ends}."


def _late(ends: str) -> tuple[str, str]:
    text = f"The review ended on {ends}. What is submitted now counts as late."
    return "Your review is overdue", text


def _asked(ends: str) -> tuple[str, str]:
    return "Please submit what is open", f"The end of the review is {ends}."


_REVIEWS: Final[Mapping[ReminderKind, Callable[[str], tuple[str, str]]]] = {
    "review_due": _due,
    "review_late": _late,
    "asked": _asked,
}


def action_reminder(reminder: Reminder, report: Report, zone: str) -> Mail:
    return Mail(
        "A growth action is due soon",
        f"Something that you wanted to do is due on {local(reminder.deadline, zone)}. Do it, or "
        "agree on another day.",
        f"/reports/{report.report_id}",
    )
