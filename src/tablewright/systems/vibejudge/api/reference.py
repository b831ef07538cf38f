"""What the OpenAPI document of vibejudge says beyond its routes."""

from __future__ import annotations

from typing import Final

from tablewright.service.system import Reference

_ABOUT = """\
Hackathons, judged: repositories in, a ranked leaderboard out, every score with a file and a line.

**Organisers** register once (`POST /organizers`) and get an API key; people may sign in instead.
They make a hackathon with a rubric, activate it, hand in repositories or let teams do it, start an
analysis and follow it, look at scorecards and costs, and release the results.

**Judges** are invited with a link, and score or compare what was assigned to them.

**Teams** hand in at the public page, and read their own result with the token they were given, once
the results are released.

What belongs to somebody else is not there: the answer is 404. Who has signed in and not registered
is told so by 403 `NOT_REGISTERED`. Times are those of UTC. Errors are
problem documents with a `code` that never changes; lists are paged by `limit` and `cursor`. What is
changed with PUT is named by its `ETag` in `If-Match`.
"""

_SUBJECTS: Final = {
    "organizers": "Registering, and one's own profile.",
    "public": "The gallery, and handing in a submission: for everybody.",
    "hackathons": "Hackathons: made, changed, opened, released, put away.",
    "submissions": "Repositories that take part.",
    "jobs": "Analyses of all submissions: started, followed, cancelled, resumed.",
    "costs": "What analyses have cost, and what one would.",
    "scorecards": "What was found in a submission, by which run.",
    "standings": "Leaderboards, figures, resemblances, exports.",
    "judges": "Judges, rounds, overrides and appeals: for organisers.",
    "judging": "What judges do.",
    "results": "What teams see, and say to it.",
}

REFERENCE: Final = Reference(about=_ABOUT, subjects=_SUBJECTS)
