"""Demo data: one organiser with five hackathons, one in each phase of its life.

``JUDGED`` has results that judges look at, ``RUNNING`` is being analysed, ``OPEN`` takes
submissions, ``STOPPED`` had a job that was cancelled, ``DONE`` waits to be released.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from decimal import Decimal

from tablewright.model import Entity
from tablewright.systems.vibejudge.analysis import HackathonCost
from tablewright.systems.vibejudge.entities import (
    Dimension,
    EmailLock,
    Erasure,
    ExternalLock,
    HackathonDetail,
    HackathonStatus,
    Organizer,
    OrgUsage,
    RepoLock,
    RepoMeta,
    Rubric,
    Submission,
    SubmissionStatus,
    TeamLock,
    Timer,
    UserLock,
    repo_key,
)
from tablewright.systems.vibejudge.rules.team_names import team_key

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
#: When what the calls rest on expires: the demo can be tried on any day.
LATER = datetime(2099, 1, 1, tzinfo=UTC)

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def demo_id(day: int, number: int) -> str:
    """A ULID of a day in November 2026, always the same."""
    moment = datetime(2026, 11, day, 9, tzinfo=UTC)
    # The factor spreads small numbers over the 80 bits that are random elsewhere.
    value = (int(moment.timestamp()) * 1000 << 80) | (number * 0x9E37_79B9_7F4A_7C15_F39D) % 2**80
    return "".join(_CROCKFORD[value >> shift & 31] for shift in range(125, -5, -5))


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def commit(text: str) -> str:
    return digest(text)[:40]


def day(number: int, hour: int = 9) -> datetime:
    return datetime(2026, 11, number, hour, tzinfo=UTC)


# --- the organiser -------------------------------------------------------------------------------

ORG = Organizer(
    org_id=demo_id(1, 1),
    email="demo@vibejudge.ai",
    name="Demo Organizer",
    organization="Vibe Coders",
    tier="premium",
    hackathon_count=5,
    user_hash=digest("demo organizer"),
    created_at=day(1),
    updated_at=day(18),
)
EMAIL = EmailLock(email_hash=digest("demo@vibejudge.ai"), org_id=ORG.org_id, created_at=day(1))
USER = UserLock(user_hash=digest("demo organizer"), org_id=ORG.org_id, created_at=day(1))
#: Somebody who had registered and thought better of it.
ERASURE = Erasure(org_id=demo_id(3, 3), since=day(3), resume_at=day(20), created_at=day(20))
USAGE = OrgUsage(
    org_id=ORG.org_id,
    year=2026,
    hackathons=5,
    spend_usd=Decimal("0.1402"),
    created_at=day(1),
    updated_at=day(18),
)

# --- hackathons ----------------------------------------------------------------------------------

RUBRIC = Rubric(
    name="AWS Bedrock Challenge",
    dimensions=[
        Dimension(
            name="code_quality",
            weight=Decimal("0.25"),
            agent="bug_hunter",
            description="Code quality, security, test coverage",
        ),
        Dimension(
            name="architecture",
            weight=Decimal("0.25"),
            agent="performance",
            description="Architecture, scalability",
        ),
        Dimension(
            name="innovation",
            weight=Decimal("0.30"),
            agent="innovation",
            description="Technical innovation, creativity",
        ),
        Dimension(
            name="authenticity",
            weight=Decimal("0.20"),
            agent="ai_detection",
            description="Authentic development",
        ),
    ],
)


def hackathon_of(
    number: int, name: str, status: HackathonStatus, start: int, count: int, **more: object
) -> HackathonDetail:
    values: dict[str, object] = {
        "hack_id": demo_id(start, number),
        "org_id": ORG.org_id,
        "name": name,
        "status": status,
        "visibility": "public",
        "start_date": day(start),
        "end_date": day(start + 2, 18),
        "rubric": RUBRIC,
        "submission_count": count,
        "created_at": day(start, 8),
        "updated_at": min(day(start + 3), day(19)),
        **more,
    }
    return HackathonDetail.model_validate(values)


JUDGED = hackathon_of(
    10,
    "AWS Bedrock Builders Hackathon",
    "completed",
    2,
    3,
    description="Build something new on Amazon Bedrock",
    agent_provider="bedrock",
    agent_models={"bug_hunter": {"label": "quick", "model_id": "amazon.nova-lite-v1:0"}},
    release_id=demo_id(19, 95),
    released_at=day(19),
)
JOB_RUNNING = demo_id(20, 30)
RUNNING = hackathon_of(
    11,
    "Night of a Thousand Prompts",
    "analyzing",
    16,
    4,
    agent_provider="bedrock",
    active_job_id=JOB_RUNNING,
)
OPEN = hackathon_of(12, "Winter Code Jam", "configured", 18, 1, end_date=day(29))
STOPPED = hackathon_of(13, "Campus Hack", "configured", 7, 1, visibility="private")
DONE = hackathon_of(14, "Data Sprint", "completed", 12, 1, visibility="private")
HACKATHONS = (JUDGED, RUNNING, OPEN, STOPPED, DONE)
TIMER = Timer(hack_id=OPEN.hack_id, due_at=day(29), created_at=day(18))


def cost_of(hackathon: HackathonDetail, spent: str = "0", analyzed: int = 0) -> HackathonCost:
    cost = Decimal(spent)
    return HackathonCost(
        hack_id=hackathon.hack_id,
        total_cost_usd=cost,
        total_input_tokens=9_000 if cost else 0,
        total_output_tokens=1_500 if cost else 0,
        submissions_analyzed=analyzed,
        cost_by_agent={"bug_hunter": cost} if cost else {},
        cost_by_model={"amazon.nova-lite-v1:0": cost} if cost else {},
        budget_remaining_usd=hackathon.budget_limit_usd - cost,
        created_at=hackathon.created_at,
        updated_at=hackathon.updated_at,
    )


# --- submissions ---------------------------------------------------------------------------------

REPO_META = RepoMeta(
    commit_count=147,
    branch_count=3,
    contributor_count=4,
    primary_language="Python",
    languages={"Python": 65, "JavaScript": 30, "HTML": 5},
    total_files=42,
    total_lines=3850,
    has_readme=True,
    has_tests=True,
    has_ci=True,
    has_dockerfile=False,
    first_commit_at=day(2, 9),
    last_commit_at=day(3, 23),
    development_duration_hours=Decimal("38.75"),
)


def submission_of(
    hackathon: HackathonDetail,
    number: int,
    team: str,
    repo: str,
    status: SubmissionStatus = "pending",
    score: str | None = None,
    **more: object,
) -> Submission:
    owner = team.lower().replace(" ", "-")
    values: dict[str, object] = {
        "hack_id": hackathon.hack_id,
        "sub_id": demo_id(hackathon.created_at.day, number),
        "team_name": team,
        "repo_url": f"https://github.com/{owner}/{repo}",
        "repo_owner": owner,
        "repo_name": repo,
        "status": status,
        "created_at": hackathon.created_at,
        "updated_at": hackathon.updated_at,
        **more,
    }
    if score is not None:
        values |= {
            "overall_score": score,
            "rank_score": score,
            "confidence": "0.5",
            "recommendation": "solid_submission",
            "repo_meta": REPO_META,
        }
    return Submission.model_validate(values)


APPEAL_ID = demo_id(19, 90)
CHATBOT = submission_of(
    JUDGED,
    20,
    "Demo Team 1",
    "bedrock-chatbot",
    "completed",
    "76.82",
    run_id=demo_id(5, 40),
    frozen_sha=commit("chatbot"),
    appeal_id=APPEAL_ID,
)
PIPELINE = submission_of(
    JUDGED, 21, "Demo Team 2", "rag-pipeline", "completed", "61.40", run_id=demo_id(5, 41)
)
IMAGES = submission_of(
    JUDGED, 22, "Demo Team 3", "nova-image-gen", "completed", "52.30", run_id=demo_id(5, 42)
)
FAILING = submission_of(RUNNING, 23, "Owls", "night-owl", "analyzing")
WAITING = submission_of(RUNNING, 24, "Bats", "echo", "cloning")
QUEUED = submission_of(RUNNING, 25, "Moths", "lamp", "pending")
RETURNED = submission_of(RUNNING, 29, "Foxes", "den", "cloning")
EARLY = submission_of(OPEN, 26, "Early Birds", "worm", external_id="registration-17")
HALTED = submission_of(STOPPED, 27, "Freshmen", "timetable")
AGAIN = submission_of(DONE, 28, "Sprinters", "dash", "completed", "70.00", run_id=demo_id(15, 43))
SUBMISSIONS = (CHATBOT, PIPELINE, IMAGES, FAILING, WAITING, QUEUED, RETURNED, EARLY, HALTED, AGAIN)


def locks_of(submission: Submission) -> list[Entity]:
    hack_id, sub_id, at = submission.hack_id, submission.sub_id, submission.created_at
    repo, team = repo_key(submission.repo_url), team_key(submission.team_name)
    locks: list[Entity] = [
        RepoLock(hack_id=hack_id, repo=repo, sub_id=sub_id, created_at=at),
        TeamLock(hack_id=hack_id, team=team, sub_id=sub_id, created_at=at),
    ]
    if submission.external_id is not None:
        known = submission.external_id
        locks.append(ExternalLock(hack_id=hack_id, external_id=known, sub_id=sub_id, created_at=at))
    return locks


def hackathon_items() -> list[Entity]:
    """All of it, each item once."""
    return [
        ORG,
        EMAIL,
        USER,
        ERASURE,
        USAGE,
        *HACKATHONS,
        *(each.listing() for each in HACKATHONS),
        TIMER,
        *SUBMISSIONS,
        *(lock for each in SUBMISSIONS for lock in locks_of(each)),
    ]
