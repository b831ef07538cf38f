"""Reads of organisers, hackathons, submissions and their analysis.

An index finds, the table decides: who comes with an id alone reads ``hackathon_of_id`` or
``submission_of_id`` first, and then ``hackathon`` or ``submission``, strongly.
"""

from __future__ import annotations

from collections.abc import Sequence

from tablewright.model import (
    Get,
    IsoSeconds,
    Projection,
    Range,
    Rate,
    Ulid,
    attr,
    batch,
    count,
    find,
    get,
    param,
    query,
)
from tablewright.systems.vibejudge.analysis import (
    AgentScore,
    CostRecord,
    Fingerprint,
    HackathonCost,
    Run,
    SubmissionSummary,
)
from tablewright.systems.vibejudge.entities import (
    EmailLock,
    ExternalId,
    ExternalLock,
    Hackathon,
    HackathonDetail,
    HackathonStatus,
    Organizer,
    OrgUsage,
    RepoLock,
    Submission,
    SubmissionStatus,
    TeamLock,
    UserLock,
    Year,
)
from tablewright.systems.vibejudge.rates import (
    EACH,
    EACH_AGENT,
    ONCE,
    RARE,
    SUBMISSIONS,
    VIEWED,
    monthly,
)
from tablewright.systems.vibejudge.table import (
    Agent,
    Digest,
    Recommendation,
    Score,
    Share,
)

# --- organisers ----------------------------------------------------------------------------------


@get(Organizer, component="api", rate=VIEWED)
def organizer(org_id: Ulid) -> None:
    """One organiser. [AP1]"""


@get(EmailLock, consistent=True, component="api", rate=RARE)
def email_lock(email_hash: Digest) -> None:
    """Who an e-mail address belongs to; the organiser is read next. [AP2]"""


@get(Organizer, consistent=True, component="api", rate=RARE)
def organizer_to_change(org_id: Ulid) -> None:
    """One organiser, as they are now."""


@get(UserLock, consistent=True, component="api", rate=VIEWED)
def user_lock(user_hash: Digest) -> None:
    """Which organiser somebody is who has signed in."""


@get(OrgUsage, component="api", rate=RARE)
def org_usage(org_id: Ulid, year: Year) -> None:
    """What an organiser has used of a year's limits. [AP25]"""


# --- hackathons ----------------------------------------------------------------------------------


@query(Hackathon, descending=True, component="api", rate=VIEWED, expect=10)
def hackathons_of_organizer(org_id: Ulid) -> None:
    """An organiser's own hackathons, the latest first. [AP3]"""


@get(HackathonDetail, consistent=True, component="api", rate=Rate(0.1, peak=0.2))
def hackathon(hack_id: Ulid) -> None:
    """One hackathon, as it is now. [AP4]"""


@find(Hackathon, key="by_id", component="api", rate=VIEWED)
def hackathon_of_id(hack_id: Ulid) -> None:
    """Whose hackathon it is, from any context; what decides is read from the table. [AP5]"""


class PublicHackathon(Projection, of=HackathonDetail):
    """What visitors see in the gallery."""

    hack_id: Ulid
    name: str
    status: HackathonStatus
    start_date: IsoSeconds
    end_date: IsoSeconds | None = None


@query(
    HackathonDetail,
    key="public",
    into=PublicHackathon,
    descending=True,
    component="api",
    rate=VIEWED,
    expect=20,
)
def public_hackathons() -> None:
    """The gallery: public hackathons, the latest start first. [AP21]"""


@get(HackathonCost, consistent=True, component="api", rate=VIEWED)
def hackathon_cost(hack_id: Ulid) -> None:
    """What a hackathon has cost, and what is left of its budget. [AP13]"""


# --- submissions ---------------------------------------------------------------------------------


@query(
    Submission,
    filter=attr(Submission.status) == param("status"),
    component="api",
    rate=VIEWED,
    expect=50,
)
def submissions(hack_id: Ulid, *, status: SubmissionStatus | None = None) -> None:
    """The submissions of a hackathon in the order they came, all or those in one state. [AP6]"""


@get(Submission, consistent=True, component="api", rate=Rate(0.1, peak=0.2))
def submission(hack_id: Ulid, sub_id: Ulid) -> None:
    """One submission, as it is now. [AP7]"""


@find(Submission, key="by_id", component="api", rate=VIEWED)
def submission_of_id(sub_id: Ulid) -> None:
    """Which hackathon a submission belongs to, from any context. [AP8]"""


@query(Submission, consistent=True, component="freezer", rate=ONCE, expect=50)
def submissions_to_freeze(hack_id: Ulid) -> None:
    """All submissions of a hackathon that has ended, down to the last one that came."""


class LeaderboardRow(Projection, of=Submission):
    """What the index holds of a ranked submission: all that a leaderboard shows."""

    hack_id: Ulid
    sub_id: Ulid
    team_name: str
    status: SubmissionStatus
    rank_score: Score
    overall_score: Score | None = None
    final_score: Score | None = None
    confidence: Share | None = None
    partial: bool = False
    recommendation: Recommendation | None = None


@query(
    Submission,
    key="ranked",
    into=LeaderboardRow,
    descending=True,
    component="api",
    rate=VIEWED,
    expect=50,
)
def leaderboard(hack_id: Ulid) -> None:
    """The ranked submissions, the best first; who has no score is not among them. [AP16]"""


@count(
    Submission,
    key="ranked",
    range=Range("rank_score", gt="score"),
    component="api",
    rate=VIEWED,
    expect=25,
)
def better_ranked(hack_id: Ulid, score: Score) -> None:
    """How many are ahead of a score; one more is the rank, which equals share. [AP17]"""


@get(RepoLock, consistent=True, component="api", rate=RARE)
def repo_lock(hack_id: Ulid, repo: str) -> None:
    """Which submission has a repository. [AP22]"""


@get(TeamLock, consistent=True, component="api", rate=RARE)
def team_lock(hack_id: Ulid, team: str) -> None:
    """Which submission has a team's name. [AP22]"""


@get(ExternalLock, consistent=True, component="api", rate=RARE)
def external_lock(hack_id: Ulid, external_id: ExternalId) -> None:
    """Which submission another system's id stands for. [AP22]"""


@query(Fingerprint, component="api", rate=RARE, expect=50)
def fingerprints(hack_id: Ulid) -> None:
    """The fingerprints of a hackathon, to compare each with each. [AP26]"""


# --- scorecards ----------------------------------------------------------------------------------


@query(AgentScore, component="api", rate=VIEWED, expect=4)
def agent_scores(sub_id: Ulid, run_id: Ulid) -> None:
    """What all agents found in one run. [AP9]"""


@get(AgentScore, component="analyser", rate=EACH_AGENT)
def agent_score(sub_id: Ulid, run_id: Ulid, agent_name: Agent) -> None:
    """What one agent found; a retry does not ask it again. [AP10]"""


@get(SubmissionSummary, consistent=True, component="api", rate=Rate(0.1, peak=0.2))
def submission_summary(sub_id: Ulid) -> None:
    """The scorecard, with the run that counts. [AP11]"""


@query(CostRecord, component="api", rate=VIEWED, expect=4)
def costs_of_submission(sub_id: Ulid) -> None:
    """Every call that was paid for a submission, of all its runs. [AP12]"""


# --- what a worker goes on with, as it is now ---


@get(Run, consistent=True, component="analyser", rate=monthly(SUBMISSIONS / 50))
def run_to_go_on(sub_id: Ulid, run_id: Ulid) -> None:
    """The run of a task that was begun before: its commit and its provider."""


@query(AgentScore, consistent=True, component="analyser", rate=monthly(SUBMISSIONS / 50), expect=4)
def stored_scores(sub_id: Ulid, run_id: Ulid) -> None:
    """What the agents of an interrupted run have found already: they are not asked again."""


@query(CostRecord, consistent=True, component="analyser", rate=EACH, expect=4)
def costs_of_run(sub_id: Ulid, run_id: Ulid) -> None:
    """Every call that was paid for one run, in all its attempts."""


@query(Run, descending=True, component="api", rate=VIEWED, expect=2)
def runs_of_submission(sub_id: Ulid) -> None:
    """The runs of a submission, the latest first. [AP23]"""


@get(Run, component="api", rate=VIEWED)
def run_of_submission(sub_id: Ulid, run_id: Ulid) -> None:
    """One run of a submission: its commit, and what it was judged by."""


@batch(component="api", rate=RARE, expect=50)
def scorecards(sub_ids: Sequence[Ulid]) -> list[Get[SubmissionSummary]]:
    """The scorecards of many submissions, for figures of all of them."""
    return [submission_summary(sub_id) for sub_id in sub_ids]


# --- exports -------------------------------------------------------------------------------------


@batch(component="api", rate=RARE, expect=50)
def submissions_exported(hack_id: Ulid, sub_ids: Sequence[Ulid]) -> list[Get[Submission]]:
    """A page of an export, in the order of the ranking."""
    return [submission(hack_id, sub_id) for sub_id in sub_ids]


@batch(component="api", rate=RARE, expect=100)
def results_exported(
    runs: Sequence[tuple[Ulid, Ulid]],
) -> list[Get[SubmissionSummary] | Get[Run]]:
    """The scorecards of a page of an export, and the runs that they rest on."""
    return [
        op
        for sub_id, run_id in runs
        for op in (submission_summary(sub_id), run_to_go_on(sub_id, run_id))
    ]
