"""Writes of organisers, hackathons and submissions."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Final, TypeAlias

from tablewright.model import (
    Check,
    Condition,
    Delete,
    Put,
    Ulid,
    Update,
    attr,
    check,
    delete,
    put,
    transaction,
    update,
    write,
)
from tablewright.systems.vibejudge.analysis import (
    Fingerprint,
    HackathonCost,
    SubmissionSummary,
)
from tablewright.systems.vibejudge.entities import (
    EmailLock,
    Erasure,
    ExternalLock,
    Hackathon,
    HackathonDetail,
    Organizer,
    OrgUsage,
    RepoLock,
    Submission,
    SubmissionStatus,
    TeamLock,
    Timer,
    UserLock,
    repo_key,
)
from tablewright.systems.vibejudge.rates import HACKATHONS, ONCE, RARE, monthly
from tablewright.systems.vibejudge.rules.human import blended
from tablewright.systems.vibejudge.rules.scoring import recommend
from tablewright.systems.vibejudge.rules.team_names import team_key
from tablewright.systems.vibejudge.table import CommitSha, Digest

# --- organisers ----------------------------------------------------------------------------------


@transaction(component="api", rate=RARE, expect=3)
def register(
    organizer: Organizer, lock: EmailLock, user: UserLock | None = None
) -> list[Put[Organizer] | Put[EmailLock] | Put[UserLock]]:
    """A new organiser, with an e-mail address that nobody has; who signs in is one at most. [T1]"""
    signed_in = [] if user is None else [put(user).new()]
    return [put(organizer).new(), put(lock).new(), *signed_in]


@write(component="api", rate=RARE)
def change_profile(organizer: Organizer) -> Put[Organizer]:
    """Another name, organisation or tier; refused if it is not the latest that was read."""
    return put(organizer).replace()


@transaction(component="api", rate=RARE)
def change_email(
    organizer: Organizer, old: EmailLock, new: EmailLock
) -> tuple[Put[Organizer], Delete[EmailLock], Put[EmailLock]]:
    """Another e-mail address that nobody has; the old one is free again."""
    released = delete(EmailLock, old.email_hash)
    return (
        put(organizer).replace(),
        released.when(attr(EmailLock.org_id) == organizer.org_id),
        put(new).new(),
    )


@transaction(component="api", rate=RARE)
def check_organizer(org_id: Ulid) -> tuple[Check[Organizer]]:
    """An organiser is there, who gets another key in the same transaction."""
    return (check(Organizer, org_id),)


@transaction(component="api", rate=RARE, expect=4)
def erase_organizer(
    erasure: Erasure, email_hash: Digest, user_hash: Digest | None = None
) -> list[Delete[Organizer] | Delete[EmailLock] | Delete[UserLock] | Put[Erasure]]:
    """An organiser goes at once, and the address is free again; what they had goes next."""
    lock = delete(EmailLock, email_hash).when(attr(EmailLock.org_id) == erasure.org_id)
    gone = delete(Organizer, erasure.org_id).existing()
    user = [] if user_hash is None else [delete(UserLock, user_hash)]
    return [gone, lock, *user, put(erasure)]


# --- hackathons ----------------------------------------------------------------------------------


@transaction(component="api", rate=monthly(HACKATHONS), expect=6)
def create_hackathon(
    hackathon: HackathonDetail, limit: int | None, now: datetime
) -> list[
    Put[HackathonDetail]
    | Put[Hackathon]
    | Put[HackathonCost]
    | Put[Timer]
    | Update[OrgUsage]
    | Update[Organizer]
]:
    """A new hackathon, if the organiser's tier allows one more this year (None: always). [T2]"""
    cost = HackathonCost(
        hack_id=hackathon.hack_id,
        budget_remaining_usd=hackathon.budget_limit_usd,
        created_at=now,
        updated_at=now,
    )
    counted = update(Organizer, hackathon.org_id).do(
        attr(Organizer.hackathon_count).add(1), attr(Organizer.updated_at).set(now)
    )
    timer = timer_of(hackathon, now)
    return [
        put(hackathon).new(),
        put(hackathon.listing()).new(),
        put(cost).new(),
        _one_more(hackathon.org_id, limit, now),
        counted,
        *([] if timer is None else [put(timer)]),
    ]


def timer_of(hackathon: HackathonDetail, now: datetime) -> Timer | None:
    """What rings at the end of a hackathon that has one."""
    if hackathon.end_date is None:
        return None
    return Timer(hack_id=hackathon.hack_id, due_at=hackathon.end_date, created_at=now)


def _one_more(org_id: Ulid, limit: int | None, now: datetime) -> Update[OrgUsage]:
    used = used_this_year(org_id, now, hackathons=1)
    if limit is None:
        return used
    return used.when(attr(OrgUsage.hackathons).missing() | (attr(OrgUsage.hackathons) < limit))


def used_this_year(
    org_id: Ulid, now: datetime, *, hackathons: int = 0, spend_usd: Decimal = Decimal(0)
) -> Update[OrgUsage]:
    """More of what an organiser uses; the first use of a year begins a new count of all of it."""
    return (
        update(OrgUsage, org_id, now.year)
        .upsert()
        .do(
            attr(OrgUsage.hackathons).add(hackathons),
            attr(OrgUsage.spend_usd).add(spend_usd),
            attr(OrgUsage.created_at).set_if_missing(now),
            attr(OrgUsage.updated_at).set(now),
        )
    )


@transaction(component="api", rate=RARE, expect=2)
def edit_hackathon(
    hackathon: HackathonDetail,
    now: datetime,
    *,
    budget_change: Decimal = Decimal(0),
    timer: Timer | None = None,
    untimed: bool = False,
) -> list[
    Put[HackathonDetail] | Update[Hackathon] | Update[HackathonCost] | Put[Timer] | Delete[Timer]
]:
    """A hackathon that was changed, or has another status; its row in the list follows.

    Refused if it is not the latest that was read. Another budget changes what remains of it, and
    may not take what is spent or reserved; another end has another timer, and none has none. [T3]
    """
    listed = update(Hackathon, hackathon.org_id, hackathon.hack_id).do(
        attr(Hackathon.name).set(hackathon.name),
        attr(Hackathon.status).set(hackathon.status),
        attr(Hackathon.updated_at).set(now),
    )
    budget = update(HackathonCost, hackathon.hack_id).do(
        attr(HackathonCost.budget_remaining_usd).add(budget_change),
        attr(HackathonCost.updated_at).set(now),
    )
    left = budget.when(attr(HackathonCost.budget_remaining_usd) >= -budget_change)
    return [
        put(hackathon).replace(),
        listed,
        *([left] if budget_change else []),
        *([] if timer is None else [put(timer)]),
        *([delete(Timer, hackathon.hack_id)] if untimed else []),
    ]


@write(component="freezer", rate=ONCE)
def freeze_submission(
    submission: Submission, frozen_sha: CommitSha, now: datetime
) -> Update[Submission]:
    """Pin the commit that counts, once, if it is one of the repository that is still meant."""
    frozen = update(Submission, submission.hack_id, submission.sub_id).do(
        attr(Submission.frozen_sha).set(frozen_sha), attr(Submission.updated_at).set(now)
    )
    if submission.status == "pending":
        # What was told of it was why it could not be pinned.
        frozen = frozen.do(attr(Submission.error_message).remove())
    same = attr(Submission.repo_url) == submission.repo_url
    return frozen.when(attr(Submission.frozen_sha).missing() & same)


@write(component="freezer", rate=RARE)
def note_unfrozen(hack_id: Ulid, sub_id: Ulid, reason: str, now: datetime) -> Update[Submission]:
    """Why a submission has no commit that is pinned, as long as it has none and waits."""
    told = update(Submission, hack_id, sub_id).do(
        attr(Submission.error_message).set(reason), attr(Submission.updated_at).set(now)
    )
    waits = attr(Submission.status) == "pending"
    return told.when(attr(Submission.frozen_sha).missing() & waits)


@write(component="freezer", rate=RARE)
def set_timer(timer: Timer) -> Put[Timer]:
    """Freeze the submissions of a hackathon at another moment: now, or again later."""
    return put(timer)


@write(component="freezer", rate=RARE)
def move_timer(timer: Timer, due_at: datetime) -> Update[Timer]:
    """Some repositories could not be asked, or not all have been handed in: it rings again.

    Refused if it was set to another moment since it rang.
    """
    moved = update(Timer, timer.hack_id).given(shard=timer.shard)
    return moved.do(attr(Timer.due_at).set(due_at)).when(attr(Timer.due_at) == timer.due_at)


@write(component="freezer", rate=monthly(HACKATHONS))
def stop_timer(timer: Timer) -> Delete[Timer]:
    """All submissions of a hackathon are frozen; refused if it was set anew since it rang."""
    return delete(Timer, timer.hack_id).when(attr(Timer.due_at) == timer.due_at)


# --- submissions ---------------------------------------------------------------------------------


Submitted: TypeAlias = (
    Put[Submission]
    | Put[RepoLock]
    | Put[TeamLock]
    | Put[ExternalLock]
    | Update[HackathonDetail]
    | Update[Hackathon]
)


@transaction(component="api", rate=ONCE, expect=5)
def submit(
    submissions: list[Submission],
    org_id: Ulid,
    limit: int,
    now: datetime,
    *,
    by_owner: bool = False,
) -> list[Submitted]:
    """Up to 20 submissions of one hackathon, each with its locks: all of them, or none.

    Only while the hackathon is open, has room, and has not ended; its owner may be late. A run
    before the end does not close it. [T4]
    """
    (hack_id,) = {each.hack_id for each in submissions}
    number = len(submissions)
    taken = update(HackathonDetail, hack_id).do(
        attr(HackathonDetail.submission_count).add(number),
        attr(HackathonDetail.updated_at).set(now),
    )
    allowed = _taking(now)
    if by_owner:
        allowed |= attr(HackathonDetail.status) == "configured"
    allowed &= attr(HackathonDetail.submission_count) <= limit - number
    listed = update(Hackathon, org_id, hack_id).do(
        attr(Hackathon.submission_count).add(number), attr(Hackathon.updated_at).set(now)
    )
    rows = [op for each in submissions for op in _with_locks(each, now)]
    return [*rows, taken.when(allowed), listed]


def _with_locks(submission: Submission, now: datetime) -> list[Submitted]:
    own = {"hack_id": submission.hack_id, "sub_id": submission.sub_id, "created_at": now}
    repo = RepoLock.model_validate({**own, "repo": repo_key(submission.repo_url)})
    team = TeamLock.model_validate({**own, "team": team_key(submission.team_name)})
    written: list[Submitted] = [put(submission).new(), put(repo).new(), put(team).new()]
    if submission.external_id is not None:
        external = ExternalLock.model_validate({**own, "external_id": submission.external_id})
        written.append(put(external).new())
    return written


Corrected: TypeAlias = (
    Update[Submission]
    | Delete[RepoLock]
    | Put[RepoLock]
    | Delete[TeamLock]
    | Put[TeamLock]
    | Delete[Fingerprint]
    | Delete[SubmissionSummary]
    | Update[HackathonCost]
    | Check[HackathonDetail]
)


@transaction(component="api", rate=RARE, expect=4)
def correct_submission(
    submission: Submission,
    now: datetime,
    *,
    team_name: str,
    repo_url: str,
    repo_owner: str,
    repo_name: str,
) -> list[Corrected]:
    """Another team name or repository; the earlier ones are free for others again.

    Refused if the submission is not the latest that was read, or is being analysed or withdrawn,
    and once the scores of the hackathon are final. Another repository has no scores and no frozen
    commit yet. [T4]
    """
    key, new_key = repo_key(submission.repo_url), repo_key(repo_url)
    team, new_team = team_key(submission.team_name), team_key(team_name)
    own = {"hack_id": submission.hack_id, "sub_id": submission.sub_id, "created_at": now}
    changed = update(submission).do(
        attr(Submission.team_name).set(team_name),
        attr(Submission.repo_url).set(repo_url),
        attr(Submission.repo_owner).set(repo_owner),
        attr(Submission.repo_name).set(repo_name),
        attr(Submission.updated_at).set(now),
    )
    if key != new_key:
        changed = _without_results(changed, submission, now)
    ops: list[Corrected] = [
        changed.when(attr(Submission.status).is_in(_AT_REST)),
        _correctable(submission.hack_id),
    ]
    if key != new_key:
        ops += [
            _repo_freed(submission),
            put(RepoLock.model_validate({**own, "repo": new_key})).new(),
            delete(Fingerprint, submission.hack_id, submission.sub_id),
        ]
    if key != new_key and submission.run_id is not None:
        analyzed = update(HackathonCost, submission.hack_id)
        ops += [
            delete(SubmissionSummary, submission.sub_id),
            analyzed.do(
                attr(HackathonCost.submissions_analyzed).add(-1),
                attr(HackathonCost.updated_at).set(now),
            ),
        ]
    if team != new_team:
        ops += [
            _team_freed(submission),
            put(TeamLock.model_validate({**own, "team": new_team})).new(),
        ]
    return ops


#: Nobody works on it, and it takes part.
_AT_REST: Final[tuple[SubmissionStatus, ...]] = ("pending", "completed", "failed", "timeout")


def _without_results(
    changed: Update[Submission], submission: Submission, now: datetime
) -> Update[Submission]:
    """Make a submission one that waits for its first analysis; what judges say stays."""
    people = blended(None, submission.human_score, submission.human_share)
    final = submission.final_score if submission.override_id is not None else people
    ranked = final if submission.disqualified_reason is None else None
    return changed.do(
        attr(Submission.status).set("pending"),
        attr(Submission.partial).set(False),
        attr(Submission.corrected_at).set(now),
        attr(Submission.final_score).set(final),
        attr(Submission.rank_score).set(ranked),
        attr(Submission.error_message).remove(),
        attr(Submission.overall_score).remove(),
        attr(Submission.confidence).remove(),
        attr(Submission.recommendation).set(recommend(None, final)),
        attr(Submission.run_id).remove(),
        attr(Submission.frozen_sha).remove(),
        attr(Submission.total_cost_usd).remove(),
        attr(Submission.total_tokens).remove(),
        attr(Submission.analysis_duration_ms).remove(),
        attr(Submission.repo_meta).remove(),
    )


def _correctable(hack_id: Ulid) -> Check[HackathonDetail]:
    states = attr(HackathonDetail.status).is_in(["configured", "analyzing", "completed"])
    return check(HackathonDetail, hack_id).when(states & SCORES_OPEN)


#: Neither released nor being released.
SCORES_OPEN = (
    attr(HackathonDetail.release_id).missing() & attr(HackathonDetail.released_at).missing()
)


def _taking(now: datetime) -> Condition:
    """Teams may hand in: the hackathon is open, also while a trial run goes on before its end."""
    open_ = attr(HackathonDetail.status).is_in(["configured", "analyzing"])
    return open_ & (attr(HackathonDetail.end_date) > now)


def _repo_freed(submission: Submission) -> Delete[RepoLock]:
    lock = delete(RepoLock, submission.hack_id, repo_key(submission.repo_url))
    mine = attr(RepoLock.sub_id) == submission.sub_id
    return lock.when(mine | attr(RepoLock.sub_id).missing())


def _team_freed(submission: Submission) -> Delete[TeamLock]:
    lock = delete(TeamLock, submission.hack_id, team_key(submission.team_name))
    mine = attr(TeamLock.sub_id) == submission.sub_id
    return lock.when(mine | attr(TeamLock.sub_id).missing())


def check_scores_open(hack_id: Ulid) -> Check[HackathonDetail]:
    """Join what changes scores or ranks, and refuse it once they are final."""
    return check(HackathonDetail, hack_id).when(SCORES_OPEN)


@write(component="api", rate=RARE)
def disqualify(hack_id: Ulid, sub_id: Ulid, reason: str, now: datetime) -> Update[Submission]:
    """Mark a submission; it leaves the ranking until it is reinstated."""
    return update(Submission, hack_id, sub_id).do(
        attr(Submission.disqualified_reason).set(reason),
        attr(Submission.rank_score).remove(),
        attr(Submission.updated_at).set(now),
    )


@write(component="api", rate=RARE)
def reinstate(submission: Submission, now: datetime) -> Update[Submission]:
    """Take the mark away; a submission that has a score is ranked again, unless it was withdrawn.

    Also while it is analysed once more: until that is published, what was found before counts.
    """
    score = submission.overall_score if submission.final_score is None else submission.final_score
    return update(submission).do(
        attr(Submission.disqualified_reason).remove(),
        attr(Submission.rank_score).set(None if submission.status == "withdrawn" else score),
        attr(Submission.updated_at).set(now),
    )


@transaction(component="api", rate=RARE)
def withdraw(
    submission: Submission, org_id: Ulid, now: datetime
) -> tuple[
    Update[Submission],
    Delete[RepoLock],
    Delete[TeamLock],
    Delete[Fingerprint],
    Update[HackathonDetail],
    Update[Hackathon],
]:
    """A team takes part no longer: its place, its name and its repository are free again.

    Refused if the submission is not the latest that was read, if it is withdrawn already, and once
    the scores of the hackathon are final. What another system calls it stays taken, so that a list
    that is sent again does not bring it back.
    """
    withdrawn = update(submission).do(
        attr(Submission.status).set("withdrawn"),
        attr(Submission.rank_score).remove(),
        attr(Submission.updated_at).set(now),
    )
    counted = update(HackathonDetail, submission.hack_id).do(
        attr(HackathonDetail.submission_count).add(-1), attr(HackathonDetail.updated_at).set(now)
    )
    listed = update(Hackathon, org_id, submission.hack_id).do(
        attr(Hackathon.submission_count).add(-1), attr(Hackathon.updated_at).set(now)
    )
    return (
        withdrawn.when(attr(Submission.status) != "withdrawn"),
        _repo_freed(submission),
        _team_freed(submission),
        delete(Fingerprint, submission.hack_id, submission.sub_id),
        counted.when(SCORES_OPEN & (attr(HackathonDetail.submission_count) >= 1)),
        listed,
    )


@write(component="api", rate=ONCE)
def issue_result_token(
    hack_id: Ulid, sub_id: Ulid, token_hash: Digest, now: datetime
) -> Update[Submission]:
    """What a team shows to see its result; an earlier token is void."""
    return update(Submission, hack_id, sub_id).do(
        attr(Submission.result_token_hash).set(token_hash), attr(Submission.updated_at).set(now)
    )
