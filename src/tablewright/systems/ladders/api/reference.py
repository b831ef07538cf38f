"""What the OpenAPI document says beyond the routes."""

from __future__ import annotations

from typing import Final

from tablewright.service.system import Reference

_ABOUT: Final = """\
Career-ladder assessments: people rate themselves on a written ladder, with evidence; their manager
rates them too; both become a report.
"""

REFERENCE: Final = Reference(
    about=_ABOUT,
    subjects={
        "Me": "Oneself: profile, tasks, one's own data.",
        "Users": "People, by administrators.",
        "Teams": "Teams, their members and managers.",
        "Plans": "Plans, their people, boards and reminders.",
        "Assessments": "Saving, submitting, reopening.",
        "Reports": "Reports, releases, exports, growth actions.",
        "Ladders": "Versions of the ladder.",
    },
)
