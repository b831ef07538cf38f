"""What judges, organisers and teams read and decide; the scores that come of it."""

from __future__ import annotations

from datetime import datetime

from tablewright.model import (
    Check,
    Delete,
    Put,
    Range,
    Ulid,
    Update,
    attr,
    check,
    delete,
    get,
    put,
    query,
    transaction,
    update,
    write,
)
from tablewright.systems.vibejudge.analysis import SubmissionSummary
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.judging import (
    APPEALED,
    Appeal,
    AppealState,
    Assignment,
    BlendRequest,
    Comparison,
    HumanScore,
    Invite,
    Judge,
    Override,
    Round,
    RoundNumber,
    RoundState,
)
from tablewright.systems.vibejudge.rates import JUDGED, ONCE, RARE, SWEPT, VIEWED, monthly
from tablewright.systems.vibejudge.rules.scoring import recommend
from tablewright.systems.vibejudge.table import Digest, DueShard, Score, Share
from tablewright.systems.vibejudge.task_writes import final_score

# --- reads ---------------------------------------------------------------------------------------


# What is over, and who is out, decides what counts: these are read strongly.
@query(Round, consistent=True, component="api", rate=VIEWED, expect=2)
def rounds(hack_id: Ulid) -> None:
    """The rounds of a hackathon. [AP27]"""


@query(Judge, consistent=True, component="api", rate=VIEWED, expect=6)
def judges(hack_id: Ulid) -> None:
    """The judges of a hackathon. [AP27]"""


@get(Judge, consistent=True, component="api", rate=JUDGED)
def judge(hack_id: Ulid, judge_id: Ulid) -> None:
    """One judge, who may have been removed a moment ago."""


@query(Assignment, consistent=True, component="api", rate=JUDGED, expect=25)
def assignments(hack_id: Ulid, round_number: RoundNumber, *, judge_id: Ulid | None = None) -> None:
    """Who judges what in a round; of all judges, or of one. [AP28]"""


@get(Assignment, consistent=True, component="api", rate=JUDGED)
def assignment(hack_id: Ulid, round_number: RoundNumber, judge_id: Ulid, sub_id: Ulid) -> None:
    """Whether a judge has something to judge, and has done it."""


@query(Comparison, consistent=True, component="api", rate=JUDGED, expect=50)
def comparisons(hack_id: Ulid, round_number: RoundNumber, *, judge_id: Ulid | None = None) -> None:
    """The comparisons of a round; of all judges, or of one. [AP29]"""


@query(HumanScore, consistent=True, component="sweeper", rate=ONCE, expect=3)
def human_scores(sub_id: Ulid) -> None:
    """What judges gave a submission, round by round. [AP30]"""


@get(HumanScore, consistent=True, component="api", rate=JUDGED)
def human_score(sub_id: Ulid, round_number: RoundNumber, judge_id: Ulid) -> None:
    """What one judge gave a submission."""


@get(Override, consistent=True, component="api", rate=RARE)
def override(sub_id: Ulid, override_id: Ulid) -> None:
    """One decision of the organiser's."""


@query(Override, descending=True, component="api", rate=VIEWED, expect=1)
def overrides(sub_id: Ulid) -> None:
    """What the organiser decided instead, the latest first. [AP30]"""


@query(Appeal, consistent=True, component="api", rate=VIEWED, expect=1)
def appeals(sub_id: Ulid) -> None:
    """What a team has said to its result. [AP30]"""


@query(
    Submission,
    filter=attr(Submission.appeal_id).exists(),
    component="api",
    rate=RARE,
    expect=2,
)
def appealed(hack_id: Ulid) -> None:
    """The submissions whose teams have appealed, in the order they came."""


@query(
    BlendRequest,
    key="due",
    range=Range("due_at", le="now"),
    hydrate=True,
    component="sweeper",
    rate=SWEPT,
    expect=0.1,
)
def blends_due(shard: DueShard, now: datetime) -> None:
    """Hackathons whose final scores are to be computed again."""


@get(Invite, consistent=True, component="api", rate=RARE)
def invite(token_hash: Digest) -> None:
    """What an invitation is for, while it is neither used nor a week old."""


# --- judges and rounds ---------------------------------------------------------------------------


@transaction(component="api", rate=RARE)
def invite_judge(judge: Judge, invite: Invite) -> tuple[Put[Judge], Put[Invite]]:
    """A judge, and the invitation that makes one of whoever follows it."""
    invited = judge.model_copy(update={"invite_hash": invite.token_hash})
    return put(invited).new(), put(invite).new()


@transaction(component="api", rate=RARE)
def accept_invite(invite: Invite, now: datetime) -> tuple[Delete[Invite], Update[Judge]]:
    """Use an invitation, if it is the judge's last: it is gone with that, and they may begin."""
    active = update(Judge, invite.hack_id, invite.judge_id).do(
        attr(Judge.state).set("active"),
        attr(Judge.invite_hash).remove(),
        attr(Judge.updated_at).set(now),
    )
    last = attr(Judge.invite_hash) == invite.token_hash
    return (
        delete(Invite, invite.token_hash).existing(),
        active.when((attr(Judge.state) != "removed") & last),
    )


@transaction(component="api", rate=RARE)
def invite_again(invite: Invite, now: datetime) -> tuple[Put[Invite], Update[Judge]]:
    """Another invitation for a judge who has lost the first, which is void then, or their key."""
    invited = update(Judge, invite.hack_id, invite.judge_id).do(
        attr(Judge.invite_hash).set(invite.token_hash), attr(Judge.updated_at).set(now)
    )
    return put(invite).new(), invited.when(attr(Judge.state) != "removed")


@write(component="api", rate=RARE)
def change_judge(judge: Judge) -> Put[Judge]:
    """Other conflicts of interest, or no judge any more; refused if it is not the latest."""
    return put(judge).replace()


@write(component="api", rate=RARE)
def add_round(round: Round) -> Put[Round]:
    """A new round, in setup."""
    return put(round).new()


@write(component="api", rate=RARE)
def change_round(round: Round) -> Put[Round]:
    """Another method or weight; refused if it is not the latest that was read."""
    return put(round).replace()


@write(component="api", rate=RARE)
def move_round(
    hack_id: Ulid, round_number: RoundNumber, state: RoundState, was: RoundState, now: datetime
) -> Update[Round]:
    """Open, pause, close or lock a round."""
    moved = update(Round, hack_id, round_number).do(
        attr(Round.state).set(state), attr(Round.updated_at).set(now)
    )
    return moved.when(attr(Round.state) == was)


@transaction(component="api", rate=monthly(150), expect=100)
def assign(
    assignments: list[Assignment], dropped: list[Assignment]
) -> list[Put[Assignment] | Delete[Assignment]]:
    """Give judges what to judge, and take from them what others have now instead.

    Up to 98 at a time, besides the round and an entry of the log. Nobody gets anything twice, and
    what a judge has begun stays.
    """
    return [
        *(put(each).new() for each in assignments),
        *(delete(each).when(attr(Assignment.state) == "assigned") for each in dropped),
    ]


# --- judging -------------------------------------------------------------------------------------


@transaction(component="api", rate=JUDGED)
def score_submission(
    score: HumanScore, now: datetime
) -> tuple[Put[HumanScore], Update[Assignment], Check[Round]]:
    """A judge scores what was assigned, while the round is open; later scores replace it. [T11]"""
    return (
        put(score),
        _judged(score.hack_id, score.round_number, score.judge_id, score.sub_id, now),
        _open_round(score.hack_id, score.round_number),
    )


@transaction(component="api", rate=JUDGED)
def compare_submissions(
    comparison: Comparison, now: datetime
) -> tuple[Put[Comparison], Update[Assignment], Update[Assignment], Check[Round]]:
    """A judge prefers one of two that were assigned, while the round is open. [T11]"""
    judged = (comparison.hack_id, comparison.round_number, comparison.judge_id)
    return (
        put(comparison),
        _judged(*judged, comparison.first_id, now),
        _judged(*judged, comparison.second_id, now),
        _open_round(comparison.hack_id, comparison.round_number),
    )


@transaction(component="api", rate=RARE, expect=3)
def skip_assignment(
    assignment: Assignment,
    reason: str,
    now: datetime,
    *,
    successor: Assignment | None = None,
    conflict: bool = False,
) -> list[Update[Assignment] | Check[Round] | Put[Assignment] | Update[Judge]]:
    """A judge cannot judge something, and says why; somebody else gets it, if there is anybody.

    With a conflict of interest, the judge is not asked about it in later rounds, either.
    """
    skipped = update(assignment).do(
        attr(Assignment.state).set("skipped"),
        attr(Assignment.skip_reason).set(reason),
        attr(Assignment.updated_at).set(now),
    )
    conflicted = update(Judge, assignment.hack_id, assignment.judge_id).do(
        attr(Judge.conflicts).add_members({assignment.sub_id}), attr(Judge.updated_at).set(now)
    )
    return [
        skipped.when(attr(Assignment.state) == "assigned"),
        _open_round(assignment.hack_id, assignment.round_number),
        *([] if successor is None else [put(successor).new()]),
        *([conflicted] if conflict else []),
    ]


def _judged(
    hack_id: Ulid, number: RoundNumber, judge_id: Ulid, sub_id: Ulid, now: datetime
) -> Update[Assignment]:
    done = update(Assignment, hack_id, number, judge_id, sub_id).do(
        attr(Assignment.state).set("done"), attr(Assignment.updated_at).set(now)
    )
    # What was skipped is somebody else's.
    return done.when(attr(Assignment.state) != "skipped")


def _open_round(hack_id: Ulid, number: RoundNumber) -> Check[Round]:
    return check(Round, hack_id, number).when(attr(Round.state) == "open")


# --- scores --------------------------------------------------------------------------------------


@write(component="api", rate=RARE)
def request_blend(request: BlendRequest) -> Put[BlendRequest]:
    """Have the final scores of a hackathon computed again; joins what makes that necessary."""
    return put(request)


@write(component="sweeper", rate=RARE)
def finish_blend(request: BlendRequest) -> Delete[BlendRequest]:
    """All of them are computed; refused if there is a later request."""
    done = delete(BlendRequest, request.hack_id)
    return done.when(attr(BlendRequest.request_id) == request.request_id)


@transaction(component="sweeper", rate=ONCE)
def blend_score(
    request: BlendRequest,
    submission: Submission,
    human_score: Score | None,
    human_share: Share | None,
    now: datetime,
) -> tuple[Update[Submission], Check[BlendRequest]]:
    """What judges say, how much of it counts, and the final score and rank that come of it.

    Refused if the submission has changed since it was read, or another request has replaced the one
    that these scores were computed for: they may rest on what judges said before.
    """
    judged = submission.model_copy(update={"human_score": human_score, "human_share": human_share})
    scored = _final(submission, final_score(judged, submission.overall_score), now).do(
        attr(Submission.human_score).set(human_score), attr(Submission.human_share).set(human_share)
    )
    current = attr(BlendRequest.request_id) == request.request_id
    return scored, check(BlendRequest, request.hack_id).when(current)


@get(BlendRequest, consistent=True, component="api", rate=RARE)
def blend_request(hack_id: Ulid) -> None:
    """Whether the final scores of a hackathon are still to be computed."""


@transaction(component="api", rate=RARE, expect=3)
def override_score(
    override: Override, submission: Submission, now: datetime, *, replaced: Override | None = None
) -> list[Put[Override] | Update[Override] | Update[Submission] | Update[SubmissionSummary]]:
    """The organiser's own score counts, for a submission that is ranked; an earlier one is revoked.

    Refused if the submission has changed since it was read. [T10]
    """
    ranked = _final(submission, override.score, now).do(
        attr(Submission.override_id).set(override.override_id)
    )
    shown = update(SubmissionSummary, override.sub_id).do(
        attr(SubmissionSummary.final_score).set(override.score),
        attr(SubmissionSummary.override_id).set(override.override_id),
        attr(SubmissionSummary.updated_at).set(now),
    )
    return [
        put(override).new(),
        ranked.when(attr(Submission.rank_score).exists()),
        *([] if submission.run_id is None else [shown]),
        *([] if replaced is None else [_revoked(replaced, now)]),
    ]


@transaction(component="api", rate=RARE, expect=3)
def revoke_override(
    override: Override, submission: Submission, now: datetime
) -> list[Update[Override] | Update[Submission] | Update[SubmissionSummary]]:
    """The score that agents and judges gave counts again.

    Refused if the submission has changed since it was read. [T10]
    """
    free = submission.model_copy(update={"override_id": None})
    counts = _final(submission, final_score(free, submission.overall_score), now).do(
        attr(Submission.override_id).remove()
    )
    shown = update(SubmissionSummary, override.sub_id).do(
        attr(SubmissionSummary.final_score).remove(),
        attr(SubmissionSummary.override_id).remove(),
        attr(SubmissionSummary.updated_at).set(now),
    )
    mine = attr(SubmissionSummary.override_id) == override.override_id
    return [
        _revoked(override, now),
        counts,
        *([] if submission.run_id is None else [shown.when(mine)]),
    ]


def _revoked(override: Override, now: datetime) -> Update[Override]:
    revoked = update(Override, override.sub_id, override.override_id).do(
        attr(Override.revoked_at).set(now), attr(Override.updated_at).set(now)
    )
    return revoked.when(attr(Override.revoked_at).missing())


def _final(submission: Submission, final_score: Score | None, now: datetime) -> Update[Submission]:
    return update(submission).do(
        attr(Submission.final_score).set(final_score),
        attr(Submission.rank_score).set(_ranked_by(submission, final_score)),
        attr(Submission.recommendation).set(recommend(submission.overall_score, final_score)),
        attr(Submission.updated_at).set(now),
    )


def _ranked_by(submission: Submission, final_score: Score | None) -> Score | None:
    """Return what a submission is ranked by: nothing if it is withdrawn or disqualified."""
    if submission.status == "withdrawn" or submission.disqualified_reason is not None:
        return None
    return submission.overall_score if final_score is None else final_score


# --- appeals -------------------------------------------------------------------------------------


@transaction(component="api", rate=RARE)
def appeal(
    appeal: Appeal, now: datetime
) -> tuple[Put[Appeal], Update[Submission], Check[HackathonDetail]]:
    """A team appeals, once, within 72 hours of the release."""
    noted = update(Submission, appeal.hack_id, appeal.sub_id).do(
        attr(Submission.appeal_id).set(appeal.appeal_id), attr(Submission.updated_at).set(now)
    )
    released = check(HackathonDetail, appeal.hack_id)
    return (
        put(appeal).new(),
        noted.when(attr(Submission.appeal_id).missing()),
        released.when(attr(HackathonDetail.released_at) >= now - APPEALED),
    )


@write(component="api", rate=RARE)
def answer_appeal(
    sub_id: Ulid, appeal_id: Ulid, state: AppealState, answer: str, now: datetime
) -> Update[Appeal]:
    """Uphold an open appeal or reject it, with an answer."""
    answered = update(Appeal, sub_id, appeal_id).do(
        attr(Appeal.state).set(state),
        attr(Appeal.answer).set(answer),
        attr(Appeal.updated_at).set(now),
    )
    return answered.when(attr(Appeal.state) == "open")
