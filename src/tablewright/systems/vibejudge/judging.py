"""People in it: judges, rounds, what they decide, and what teams say to that."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import model_validator

from tablewright.model import Field, IsoSeconds, Key, Ttl, Ulid, new_ulid
from tablewright.systems.vibejudge.entities import Name
from tablewright.systems.vibejudge.table import (
    Changing,
    Digest,
    DueShard,
    Lasting,
    Score,
    Share,
    SubScore,
    due_shard,
    vibejudge,
)

RoundState: TypeAlias = Literal["setup", "open", "paused", "closed", "locked"]
AppealState: TypeAlias = Literal["open", "upheld", "rejected"]
RoundNumber: TypeAlias = Annotated[int, Field(ge=1, le=99)]
Reason: TypeAlias = Annotated[str, Field(min_length=10, max_length=1000)]

INVITED = timedelta(days=7)
#: After the release, teams may appeal for so long.
APPEALED = timedelta(hours=72)


class Round(
    Changing,
    table=vibejudge,
    type="ROUND",
    keys={"primary": Key("HACK#{hack_id}", "ROUND#{round_number:02d}")},
):
    hack_id: Ulid
    round_number: RoundNumber
    method: Literal["rubric", "pairwise"] = "rubric"
    weight: Share
    state: RoundState = "setup"


class Judge(
    Changing,
    table=vibejudge,
    type="JUDGE",
    keys={"primary": Key("HACK#{hack_id}", "JUDGE#{judge_id}")},
):
    hack_id: Ulid
    judge_id: Ulid = Field(default_factory=new_ulid)
    name: Name
    state: Literal["invited", "active", "removed"] = "invited"
    #: The invitation that counts, as long as nobody has followed it; earlier ones are void.
    invite_hash: Digest | None = None
    #: Submissions that the judge has to do with, and does not judge.
    conflicts: set[Ulid] = Field(default_factory=set)


class Invite(
    Lasting,
    table=vibejudge,
    type="INVITE",
    keys={"primary": Key("INVITE#{token_hash}", "META")},
):
    """Makes whoever has the token a judge, once, within a week."""

    token_hash: Digest
    hack_id: Ulid
    judge_id: Ulid
    expires_at: Ttl = Field(default_factory=lambda data: data["created_at"] + INVITED)


class Assignment(
    Changing,
    table=vibejudge,
    type="ASSIGNMENT",
    keys={
        "primary": Key("HACK#{hack_id}", "ASSIGN#{round_number:02d}#{judge_id}#{sub_id}"),
    },
):
    hack_id: Ulid
    round_number: RoundNumber
    judge_id: Ulid
    sub_id: Ulid
    state: Literal["assigned", "done", "skipped"] = "assigned"
    skip_reason: Annotated[str, Field(max_length=500)] | None = None


class Comparison(
    Lasting,
    table=vibejudge,
    type="COMPARISON",
    keys={
        "primary": Key("HACK#{hack_id}", "CMP#{round_number:02d}#{judge_id}#{first_id}~{second_id}")
    },
):
    """Which of two a judge prefers. The two stand in the order of their ids: a pair is one item."""

    hack_id: Ulid
    round_number: RoundNumber
    judge_id: Ulid
    first_id: Ulid
    second_id: Ulid
    winner: Ulid

    @model_validator(mode="after")
    def _is_a_pair(self) -> Self:
        if self.first_id >= self.second_id:
            raise ValueError("a pair is two submissions in the order of their ids")
        if self.winner not in (self.first_id, self.second_id):
            raise ValueError("the winner is one of the two")
        return self


class HumanScore(
    Lasting,
    table=vibejudge,
    type="HUMAN_SCORE",
    keys={"primary": Key("SUB#{sub_id}", "HSCORE#{round_number:02d}#{judge_id}")},
):
    """What a judge gives for each dimension of the rubric."""

    sub_id: Ulid
    round_number: RoundNumber
    judge_id: Ulid
    hack_id: Ulid
    scores: dict[str, SubScore]
    comment: Annotated[str, Field(max_length=2000)] | None = None


class BlendRequest(
    Lasting,
    table=vibejudge,
    type="BLEND_REQUEST",
    keys={
        "primary": Key("HACK#{hack_id}", "BLEND"),
        "due": Key("TASK_DUE#{shard}", "{due_at}", on="GSI2"),
    },
):
    """What judges say has changed: the final scores of a hackathon are computed again."""

    hack_id: Ulid
    #: Another one each time: who has done what one request asks for leaves a later one standing.
    request_id: Ulid = Field(default_factory=new_ulid)
    due_at: IsoSeconds = Field(default_factory=lambda data: data["created_at"])
    shard: DueShard = Field(default_factory=lambda data: due_shard(data["hack_id"]))


class Override(
    Changing,
    table=vibejudge,
    type="OVERRIDE",
    keys={"primary": Key("SUB#{sub_id}", "OVERRIDE#{override_id}")},
):
    """The organiser's own score, with the reason."""

    sub_id: Ulid
    override_id: Ulid = Field(default_factory=new_ulid)
    hack_id: Ulid
    score: Score
    reason: Reason
    revoked_at: IsoSeconds | None = None


class Appeal(
    Changing,
    table=vibejudge,
    type="APPEAL",
    keys={"primary": Key("SUB#{sub_id}", "APPEAL#{appeal_id}")},
):
    sub_id: Ulid
    appeal_id: Ulid = Field(default_factory=new_ulid)
    hack_id: Ulid
    text: Annotated[str, Field(min_length=10, max_length=2000)]
    state: AppealState = "open"
    answer: Annotated[str, Field(max_length=2000)] | None = None
