"""Demo data: two open rounds, three judges, and what they and others have said so far."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from tablewright.model import Entity
from tablewright.systems.vibejudge.demo_hackathons import (
    APPEAL_ID,
    CHATBOT,
    IMAGES,
    JUDGED,
    LATER,
    PIPELINE,
    RUBRIC,
    day,
    demo_id,
    digest,
)
from tablewright.systems.vibejudge.entities import Submission
from tablewright.systems.vibejudge.judging import (
    Appeal,
    Assignment,
    BlendRequest,
    Comparison,
    HumanScore,
    Invite,
    Judge,
    Override,
    Round,
)
from tablewright.systems.vibejudge.releases import rank_submissions, split_into_pages


def round_of(number: int, **more: object) -> Round:
    values: dict[str, object] = {
        "hack_id": JUDGED.hack_id,
        "round_number": number,
        "weight": "0.5",
        "state": "open",
        "created_at": day(6),
        "updated_at": day(6),
        **more,
    }
    return Round.model_validate(values)


def judge_of(number: int, name: str, **more: object) -> Judge:
    values: dict[str, object] = {
        "hack_id": JUDGED.hack_id,
        "judge_id": demo_id(6, number),
        "name": name,
        "created_at": day(6),
        "updated_at": day(6),
        **more,
    }
    return Judge.model_validate(values)


def invite_of(judge: Judge, which: str = "invitation") -> Invite:
    return Invite(
        token_hash=digest(f"{which} of {judge.name}"),
        hack_id=judge.hack_id,
        judge_id=judge.judge_id,
        created_at=day(6),
        expires_at=LATER,
    )


def assignment_of(number: int, judge: Judge, submission: Submission, **more: object) -> Assignment:
    values: dict[str, object] = {
        "hack_id": JUDGED.hack_id,
        "round_number": number,
        "judge_id": judge.judge_id,
        "sub_id": submission.sub_id,
        "created_at": day(6),
        "updated_at": day(6),
        **more,
    }
    return Assignment.model_validate(values)


def human_score(judge: Judge, submission: Submission, at: datetime) -> HumanScore:
    return HumanScore(
        sub_id=submission.sub_id,
        round_number=1,
        judge_id=judge.judge_id,
        hack_id=submission.hack_id,
        scores={each.name: Decimal("7.5") for each in RUBRIC.dimensions},
        created_at=at,
    )


def comparison_of(judge: Judge, winner: Submission, other: Submission, at: datetime) -> Comparison:
    first, second = sorted((winner.sub_id, other.sub_id))
    return Comparison(
        hack_id=JUDGED.hack_id,
        round_number=2,
        judge_id=judge.judge_id,
        first_id=first,
        second_id=second,
        winner=winner.sub_id,
        created_at=at,
    )


def request_of(number: int, at: datetime) -> BlendRequest:
    return BlendRequest(
        hack_id=JUDGED.hack_id, request_id=demo_id(9, number), created_at=at, due_at=at
    )


ADA = judge_of(50, "Ada", state="active")
GRACE = judge_of(51, "Grace", state="active")
ALAN = judge_of(52, "Alan", invite_hash=digest("invitation of Alan"))
SKIPPED = assignment_of(1, GRACE, CHATBOT)
OVERRIDDEN = Override(
    sub_id=IMAGES.sub_id,
    override_id=demo_id(8, 80),
    hack_id=JUDGED.hack_id,
    score=Decimal("55.00"),
    reason="The demo was down while the agents looked",
    revoked_at=day(9),
    created_at=day(8),
    updated_at=day(9),
)
APPEALED = Appeal(
    sub_id=CHATBOT.sub_id,
    appeal_id=APPEAL_ID,
    hack_id=JUDGED.hack_id,
    text="The tests are in another folder",
    created_at=day(19),
    updated_at=day(19),
)

HEADER, PAGES = split_into_pages(JUDGED, rank_submissions([CHATBOT, PIPELINE, IMAGES]), day(19))


def judging_items() -> list[Entity]:
    return [
        round_of(1),
        round_of(2, method="pairwise"),
        ADA,
        GRACE,
        ALAN,
        invite_of(ALAN),
        assignment_of(1, ADA, CHATBOT, state="done"),
        assignment_of(1, ADA, PIPELINE),
        SKIPPED,
        assignment_of(2, ADA, CHATBOT),
        assignment_of(2, ADA, PIPELINE),
        assignment_of(2, GRACE, CHATBOT, state="done"),
        assignment_of(2, GRACE, PIPELINE, state="done"),
        human_score(ADA, CHATBOT, day(7)),
        comparison_of(GRACE, CHATBOT, PIPELINE, day(7)),
        OVERRIDDEN,
        APPEALED,
        request_of(85, day(9)),
        HEADER,
        *PAGES,
    ]
