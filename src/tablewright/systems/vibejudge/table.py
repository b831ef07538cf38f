"""The table, what all its entities have in common, and the words that several of them use."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal, TypeAlias

from tablewright.model import (
    Entity,
    Field,
    Index,
    IsoSeconds,
    Provisioned,
    Table,
    Version,
    shard_of,
)

vibejudge = Table(
    "VibeJudgeTable",
    pk="PK",
    sk="SK",
    indexes=[
        Index("GSI1", pk="GSI1PK", sk="GSI1SK"),
        Index(
            "GSI2",
            pk="GSI2PK",
            sk="GSI2SK",
            include=(
                "status",
                "name",
                "team_name",
                "start_date",
                "end_date",
                "overall_score",
                "final_score",
                "confidence",
                "partial",
                "recommendation",
            ),
        ),
    ],
    ttl="expires_at",
    # The indexes have the same: 15 of the 25 units that the free tier gives.
    billing=Provisioned(read_units=5, write_units=5),
    table_class="STANDARD",
    tags={"Project": "VibeJudge", "Environment": "dev"},
)


class Lasting(Entity):
    """What is written once."""

    created_at: IsoSeconds


class Changing(Lasting):
    """What is written again and again."""

    updated_at: IsoSeconds
    version: Version = 0


Agent: TypeAlias = Literal["bug_hunter", "performance", "innovation", "ai_detection"]
Provider: TypeAlias = Literal["static", "bedrock", "openai"]
Recommendation: TypeAlias = Literal[
    "strong_contender", "solid_submission", "needs_improvement", "concerns_flagged"
]

Share: TypeAlias = Annotated[Decimal, Field(ge=0, le=1)]
#: What people read and ranks are made of.
Score: TypeAlias = Annotated[Decimal, Field(ge=0, le=100, decimal_places=2)]
#: Of an agent: rounded only when it has become part of a score.
Points: TypeAlias = Annotated[Decimal, Field(ge=0, le=100)]
#: One aspect that an agent or a judge looks at; None does not apply.
SubScore: TypeAlias = Annotated[Decimal, Field(ge=0, le=10)] | None
Usd: TypeAlias = Annotated[Decimal, Field(ge=0, decimal_places=9)]
Count: TypeAlias = Annotated[int, Field(ge=0)]
CommitSha: TypeAlias = Annotated[str, Field(pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$")]
#: Of a secret or of an e-mail address: SHA-256 in hexadecimal digits.
Digest: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]

DUE_SHARDS = 8
DueShard: TypeAlias = Annotated[int, Field(ge=0, lt=DUE_SHARDS)]


def due_shard(lane: str) -> int:
    """Where among the partitions of what is due something with this id stands."""
    return shard_of(lane, DUE_SHARDS)
