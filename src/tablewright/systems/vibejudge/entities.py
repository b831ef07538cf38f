"""Organisers, hackathons, submissions, and the locks that keep them unique."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal, Self, TypeAlias
from urllib.parse import urlsplit

from pydantic import BaseModel, model_validator

from tablewright.model import Field, IsoSeconds, Key, Shaped, Ulid, new_ulid
from tablewright.systems.vibejudge.table import (
    Agent,
    Changing,
    CommitSha,
    Count,
    Digest,
    DueShard,
    Lasting,
    Provider,
    Recommendation,
    Score,
    Share,
    Usd,
    due_shard,
    vibejudge,
)

Tier: TypeAlias = Literal["free", "premium", "enterprise"]
HackathonStatus: TypeAlias = Literal["draft", "configured", "analyzing", "completed", "archived"]
SubmissionStatus: TypeAlias = Literal[
    "pending", "cloning", "analyzing", "completed", "failed", "timeout", "withdrawn"
]
PolicyMode: TypeAlias = Literal["full_vibe", "ai_assisted", "traditional", "custom"]
Year: TypeAlias = Annotated[int, Field(ge=2000, le=9999)]
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=100)]
#: What comes in is cleaned by ``rules.team_names``; a stored name may be older than those rules.
TeamName: TypeAlias = Annotated[str, Field(max_length=50, pattern=r"\S")]
ExternalId: TypeAlias = Annotated[str, Field(min_length=1, max_length=64)]

ALL_AGENTS: tuple[Agent, ...] = ("bug_hunter", "performance", "innovation", "ai_detection")
#: By how much the weights of a rubric may miss 1.
TOLERANCE = Decimal("0.001")


# --- organisers ----------------------------------------------------------------------------------


class Organizer(
    Changing,
    table=vibejudge,
    type="ORGANIZER",
    keys={"primary": Key("ORG#{org_id}", "PROFILE")},
):
    org_id: Ulid = Field(default_factory=new_ulid)
    email: Annotated[str, Field(min_length=3, max_length=254)]
    name: Name
    organization: Annotated[str, Field(max_length=100)] | None = None
    tier: Tier = "free"
    hackathon_count: Count = 0
    #: Of whoever signs in as this organiser, if anybody does.
    user_hash: Digest | None = None


class EmailLock(
    Lasting,
    table=vibejudge,
    type="EMAIL_LOCK",
    keys={"primary": Key("EMAIL#{email_hash}", "LOCK")},
):
    """An address belongs to one organiser; only its keyed hash stands in a key."""

    email_hash: Digest
    org_id: Ulid


class UserLock(
    Lasting,
    table=vibejudge,
    type="USER_LOCK",
    keys={"primary": Key("USER#{user_hash}", "LOCK")},
):
    """Who signs in is one organiser; only a keyed hash of their id stands in a key."""

    user_hash: Digest
    org_id: Ulid


class OrgUsage(
    Changing,
    table=vibejudge,
    type="ORG_USAGE",
    keys={"primary": Key("ORG#{org_id}", "USAGE#{year}")},
):
    """What an organiser's tier limits, by year."""

    org_id: Ulid
    year: Year
    hackathons: Count = 0
    spend_usd: Usd = Decimal(0)


class Erasure(
    Lasting,
    table=vibejudge,
    type="ERASURE",
    keys={"primary": Key("ERASING", "{subject}")},
):
    """Somebody, or a hackathon, is to be erased: it stands here until all of it is gone."""

    org_id: Ulid
    #: None is the organiser with everything.
    hack_id: Ulid | None = None
    subject: Annotated[str, Shaped("(?:ORG|HACK)#[0-9A-HJKMNP-TV-Z]{26}")] = Field(
        default_factory=lambda data: (
            f"HACK#{data['hack_id']}" if data["hack_id"] else f"ORG#{data['org_id']}"
        )
    )
    #: Nothing of it is older.
    since: IsoSeconds
    #: Work that was under way has ended by then, and writes nothing any more.
    resume_at: IsoSeconds


# --- hackathons ----------------------------------------------------------------------------------


class Dimension(BaseModel):
    name: Annotated[str, Field(min_length=1, max_length=50)]
    weight: Share
    agent: Agent
    description: Annotated[str, Field(max_length=500)] = ""


class Rubric(BaseModel):
    name: Name
    version: Annotated[str, Field(min_length=1, max_length=20)] = "1.0"
    max_score: Literal[100] = 100
    dimensions: Annotated[list[Dimension], Field(min_length=1, max_length=10)]

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        total = sum((each.weight for each in self.dimensions), Decimal(0))
        if abs(total - 1) > TOLERANCE:
            raise ValueError(f"the weights of a rubric sum to 1, not to {total}")
        if len({each.name for each in self.dimensions}) < len(self.dimensions):
            raise ValueError("two dimensions of the rubric have the same name")
        return self


class AgentModel(BaseModel):
    """Which model an agent asks; the label is what model selection goes by."""

    label: str
    model_id: str


class PolicyConfig(BaseModel):
    authenticity_weight: Annotated[Decimal, Field(ge=0, le=Decimal("0.5"))]


class Hackathon(
    Changing,
    table=vibejudge,
    type="HACKATHON",
    keys={
        "primary": Key("ORG#{org_id}", "HACK#{hack_id}"),
        "by_id": Key("HACK#{hack_id}", "META", on="GSI1"),
    },
):
    """The row in its organiser's list: a copy of what the detail says."""

    org_id: Ulid
    hack_id: Ulid
    name: Name
    status: HackathonStatus = "draft"
    submission_count: Count = 0


class HackathonDetail(
    Changing,
    table=vibejudge,
    type="HACKATHON_DETAIL",
    keys={
        "primary": Key("HACK#{hack_id}", "META"),
        "public": Key("PUBLIC", "{start_date}#{hack_id}", on="GSI2", when={"visibility": "public"}),
    },
):
    """The hackathon itself; what decides reads it, strongly."""

    hack_id: Ulid = Field(default_factory=new_ulid)
    org_id: Ulid
    name: Name
    description: Annotated[str, Field(max_length=4000)] | None = None
    status: HackathonStatus = "draft"
    visibility: Literal["private", "public"] = "private"
    start_date: IsoSeconds | None = None
    end_date: IsoSeconds | None = None
    rubric: Rubric
    agents_enabled: Annotated[list[Agent], Field(min_length=1, max_length=4)] = Field(
        default_factory=lambda: list(ALL_AGENTS)
    )
    agent_provider: Provider = "static"
    agent_models: dict[Agent, AgentModel] = Field(default_factory=dict)
    ai_policy_mode: PolicyMode = "ai_assisted"
    ai_policy_config: PolicyConfig | None = None
    submission_count: Count = 0
    budget_limit_usd: Annotated[Decimal, Field(ge=0, le=10_000, decimal_places=9)] = Decimal(5)
    human_weight: Share = Decimal("0.5")
    min_reviews: Annotated[int, Field(ge=1, le=100)] = 2
    active_job_id: Ulid | None = None
    #: The release whose snapshot is shown. It is set before ``released_at``, and scores are final
    #: from then on.
    release_id: Ulid | None = None
    released_at: IsoSeconds | None = None
    #: How many ranks the public sees; None is all of them.
    public_ranks: Annotated[int, Field(ge=1, le=1000)] | None = None

    @property
    def has_final_scores(self) -> bool:
        """Whether results are released, or their release has begun."""
        return self.release_id is not None or self.released_at is not None

    @model_validator(mode="after")
    def _can_be_judged(self) -> Self:
        absent = {each.agent for each in self.rubric.dimensions} - set(self.agents_enabled)
        if absent:
            raise ValueError(f"the rubric needs agents that are not enabled: {sorted(absent)}")
        # One that was put away may never have been more than a draft.
        planned = self.status in ("draft", "archived")
        if not planned and (self.start_date is None or self.end_date is None):
            raise ValueError("a hackathon that is no draft has a start_date and an end_date")
        if self.start_date and self.end_date and self.end_date <= self.start_date:
            raise ValueError("a hackathon ends after it has started")
        if self.ai_policy_mode == "custom" and self.ai_policy_config is None:
            raise ValueError("a custom policy has an ai_policy_config")
        return self

    def listing(self) -> Hackathon:
        """Its row in the organiser's list, as it is when both are new."""
        return Hackathon(
            org_id=self.org_id,
            hack_id=self.hack_id,
            name=self.name,
            status=self.status,
            submission_count=self.submission_count,
            created_at=self.created_at,
            updated_at=self.updated_at,
        )


class Timer(
    Lasting,
    table=vibejudge,
    type="TIMER",
    keys={
        "primary": Key("HACK#{hack_id}", "FREEZE"),
        "due": Key("TASK_DUE#{shard}", "{due_at}", on="GSI2"),
    },
):
    """Rings when a hackathon ends: the commits of its submissions are frozen then."""

    hack_id: Ulid
    #: The end of the hackathon.
    due_at: IsoSeconds
    shard: DueShard = Field(default_factory=lambda data: due_shard(data["hack_id"]))


# --- submissions ---------------------------------------------------------------------------------


class RepoMeta(BaseModel):
    """What a look into the repository tells."""

    commit_count: Count
    branch_count: Count
    contributor_count: Count
    primary_language: str | None = None
    #: Percent of the lines.
    languages: dict[str, int] = Field(default_factory=dict)
    total_files: Count
    total_lines: Count
    has_readme: bool
    has_tests: bool
    has_ci: bool
    has_dockerfile: bool
    first_commit_at: IsoSeconds
    last_commit_at: IsoSeconds
    development_duration_hours: Annotated[Decimal, Field(ge=0)]
    #: Only the host's own interface tells these.
    workflow_run_count: Count | None = None
    workflow_success_rate: Share | None = None


class Submission(
    Changing,
    table=vibejudge,
    type="SUBMISSION",
    keys={
        "primary": Key("HACK#{hack_id}", "SUB#{sub_id}"),
        "by_id": Key("SUB#{sub_id}", "HACK#{hack_id}", on="GSI1"),
        "ranked": Key("HACK#{hack_id}", "RANK#{rank_score:07.2f}#{sub_id}", on="GSI2"),
    },
):
    hack_id: Ulid
    sub_id: Ulid = Field(default_factory=new_ulid)
    team_name: TeamName
    repo_url: Annotated[str, Field(min_length=1, max_length=500)]
    repo_owner: Name
    repo_name: Name
    default_branch: Annotated[str, Field(min_length=1, max_length=255)] = "main"
    external_id: ExternalId | None = None
    status: SubmissionStatus = "pending"
    error_message: Annotated[str, Field(max_length=1000)] | None = None
    overall_score: Score | None = None
    final_score: Score | None = None
    #: What the judges say, once a round is over; and how much of it counts. None: not yet.
    human_score: Score | None = None
    human_share: Share | None = None
    #: The organiser has decided otherwise: the final score is theirs.
    override_id: Ulid | None = None
    #: What it is ranked by: the final score, else the overall one. None is in no ranking.
    rank_score: Score | None = None
    confidence: Share | None = None
    partial: bool = False
    recommendation: Recommendation | None = None
    run_id: Ulid | None = None
    frozen_sha: CommitSha | None = None
    disqualified_reason: Annotated[str, Field(min_length=1, max_length=1000)] | None = None
    result_token_hash: Digest | None = None
    #: When another repository was given: an analysis that began before looked at the earlier one.
    corrected_at: IsoSeconds | None = None
    #: A team may appeal once.
    appeal_id: Ulid | None = None
    total_cost_usd: Usd | None = None
    total_tokens: Count | None = None
    analysis_duration_ms: Count | None = None
    repo_meta: RepoMeta | None = None


class RepoLock(
    Lasting,
    table=vibejudge,
    type="REPO_LOCK",
    keys={"primary": Key("HACK#{hack_id}", "REPO#{repo}")},
):
    """A repository takes part in a hackathon once."""

    hack_id: Ulid
    repo: str
    sub_id: Ulid


class TeamLock(
    Lasting,
    table=vibejudge,
    type="TEAM_LOCK",
    keys={"primary": Key("HACK#{hack_id}", "TEAM#{team}")},
):
    """The name of a team occurs once in a hackathon."""

    hack_id: Ulid
    team: str
    sub_id: Ulid


class ExternalLock(
    Lasting,
    table=vibejudge,
    type="EXTERNAL_LOCK",
    keys={"primary": Key("HACK#{hack_id}", "EXT#{external_id}")},
):
    """What another system calls a submission: sent twice, it is one."""

    hack_id: Ulid
    external_id: ExternalId
    sub_id: Ulid


def repo_key(url: str) -> str:
    """``host/owner/name``, the same for every way to write the address of one repository."""
    text = url.strip()
    if text.startswith("/"):
        # A folder of this machine, where capitals count, and .git is part of a name.
        return f"local{text.rstrip('/')}"
    parts = urlsplit(text.lower())
    path = parts.path.strip("/").removesuffix(".git").strip("/")
    # Two servers of one machine differ by their ports; hosts of repositories have none.
    port = "" if parts.port is None else f":{parts.port}"
    return f"{parts.hostname or ''}{port}/{path}"
