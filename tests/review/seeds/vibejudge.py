"""VibeJudge AI: agents that score the repositories of a hackathon, in one table."""

from __future__ import annotations

from tests.review.seeds.parts import numbers, texts

from tablewright.review.design import (
    Attribute,
    Begins,
    Definition,
    Design,
    Entity,
    Figure,
    Flow,
    Index,
    Key,
    Pattern,
    Retention,
    Sample,
    Table,
    Unique,
)


def design() -> Design:
    return Design.of(
        "vibejudge",
        TABLE,
        *DEFINITIONS,
        *ENTITIES,
        *READS,
        *WRITES,
        *FLOWS,
        *FIGURES,
        *SAMPLES,
    )


TABLE = Table(
    "VibeJudgeTable",
    pk="PK",
    sk="SK",
    indexes=(
        Index("GSI1", pk="GSI1PK", sk="GSI1SK", projection="ALL", read_units=5, write_units=5),
        Index(
            "GSI2", pk="GSI2PK", sk="GSI2SK", projection="KEYS_ONLY", read_units=5, write_units=5
        ),
    ),
    ttl="expires_at",
    billing="provisioned",
    read_units=5,
    write_units=5,
    # "Auto-scaling (min: 5, max: 50) for growth."
    max_read_units=50,
    max_write_units=50,
    free_tier=True,
    # "Point-in-Time Recovery: Disabled (MVP - enable for production)."
    pitr=False,
    # "Core product data", "Account data", "Retained for billing intelligence".
    durable=True,
    discriminator="entity_type",
)


def _keys(hash_name: str, range_name: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": hash_name, "KeyType": "HASH"},
        {"AttributeName": range_name, "KeyType": "RANGE"},
    ]


def _indexes() -> list[dict[str, object]]:
    return [
        {
            "IndexName": name,
            "KeySchema": _keys(f"{name}PK", f"{name}SK"),
            "Projection": {"ProjectionType": projection},
            "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
        }
        for name, projection in (("GSI1", "ALL"), ("GSI2", "KEYS_ONLY"))
    ]


_SETTINGS = {
    "BillingMode": "PROVISIONED",
    "TableClass": "STANDARD",
    "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": "S"}
        for name in ("PK", "SK", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK")
    ],
    "KeySchema": _keys("PK", "SK"),
    "GlobalSecondaryIndexes": _indexes(),
    "TimeToLiveSpecification": {"AttributeName": "expires_at", "Enabled": True},
}
DEFINITIONS = (
    Definition(
        "VibeJudgeTable",
        "2. Table Configuration",
        {
            "TableName": "VibeJudgeTable",
            **_SETTINGS,
            "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False},
        },
    ),
    Definition(
        "VibeJudgeTable",
        "10. SAM Template Fragment",
        {"TableName": "${AWS::StackName}-table", **_SETTINGS},
    ),
)

# --- entities ------------------------------------------------------------------------------------


def _ulid(*names: str) -> tuple[Attribute, ...]:
    return texts(*names, format="ulid")


_CREATED = texts("created_at", format="iso_seconds")
_STAMPS = (*_CREATED, *texts("updated_at", format="iso_seconds"))
_TYPE = texts("entity_type")
_AGENTS = ("bug_hunter", "performance", "innovation", "ai_detection")
_AGENT = (Attribute("agent_name", values=_AGENTS),)
_HACK_STATES = ("draft", "configured", "analyzing", "completed", "archived")

_REPO_META = {
    "commit_count": 147,
    "branch_count": 3,
    "contributor_count": 4,
    "primary_language": "Python",
    "languages": {"Python": 65, "JavaScript": 30, "HTML": 5},
    "total_files": 42,
    "total_lines": 3850,
    "has_readme": True,
    "has_tests": True,
    "has_ci": True,
    "has_dockerfile": False,
    "first_commit_at": "2026-02-01T09:00:00Z",
    "last_commit_at": "2026-02-02T23:45:00Z",
    "development_duration_hours": 38.75,
    "workflow_run_count": 23,
    "workflow_success_rate": 0.78,
}
_SCORES = (
    {
        "code_quality": 7.5,
        "security": 6.0,
        "test_coverage": 8.0,
        "error_handling": 5.5,
        "dependency_hygiene": 7.0,
    },
    {
        "architecture": 8.0,
        "database_design": 7.0,
        "api_design": 8.5,
        "scalability": 6.5,
        "resource_efficiency": 7.5,
    },
    {
        "technical_novelty": 9.0,
        "creative_problem_solving": 8.5,
        "architecture_elegance": 7.5,
        "readme_quality": 8.0,
        "demo_potential": 7.0,
    },
    {
        "commit_authenticity": 8.5,
        "development_velocity": 7.0,
        "authorship_consistency": 9.0,
        "iteration_depth": 8.0,
        "ai_generation_indicators": 3.0,
    },
)
_WEIGHTED = {
    "code_quality": {"raw": 6.75, "weight": 0.25, "weighted": 1.69},
    "architecture": {"raw": 7.50, "weight": 0.25, "weighted": 1.88},
    "innovation": {"raw": 8.20, "weight": 0.30, "weighted": 2.46},
    "authenticity": {"raw": 8.00, "weight": 0.20, "weighted": 1.60},
}

ORGANIZER = Entity(
    "Organizer",
    "VibeJudgeTable",
    keys=(
        Key("ORG#{org_id}", "PROFILE"),
        Key("EMAIL#{email}", "ORG#{org_id}", on="GSI1"),
    ),
    attributes=(
        *_TYPE,
        *_ulid("org_id"),
        *texts("email", format="email", personal=True),
        *texts("name", personal=True),
        *texts("organization", required=False),
        Attribute("tier", values=("free", "premium", "enterprise")),
        Attribute("hackathon_count", "N", counts="Hackathon"),
        *_STAMPS,
    ),
    # "For login lookup": one email, one account.
    unique=(Unique("email"),),
)

HACKATHON = Entity(
    "Hackathon",
    "VibeJudgeTable",
    keys=(
        Key("ORG#{org_id}", "HACK#{hack_id}"),
        Key("HACK#{hack_id}", "META", on="GSI1"),
    ),
    attributes=(
        *_TYPE,
        *_ulid("hack_id", "org_id"),
        Attribute("name", copy_of="HackathonDetail.name"),
        Attribute("status", values=_HACK_STATES, copy_of="HackathonDetail.status", mutable=True),
        Attribute(
            "submission_count",
            "N",
            counts="Submission",
            copy_of="HackathonDetail.submission_count",
        ),
        *_STAMPS,
    ),
)

DETAIL = Entity(
    "HackathonDetail",
    "VibeJudgeTable",
    keys=(Key("HACK#{hack_id}", "META"),),
    attributes=(
        *_TYPE,
        *_ulid("hack_id", "org_id"),
        *texts("name"),
        *texts("description", required=False),
        Attribute("status", values=_HACK_STATES, mutable=True),
        *texts("start_date", "end_date", required=False, format="iso_seconds"),
        Attribute("rubric", "M", python="float"),
        Attribute("agents_enabled", "L", max_items=4, item_bytes=12),
        Attribute("ai_policy_mode", values=("full_vibe", "ai_assisted", "traditional", "custom")),
        Attribute("ai_policy_config", "M", required=False),
        # "List of repo URLs (for batch mode)."
        Attribute("repo_urls", "L", required=False, grows=True, item_bytes=60),
        Attribute("submission_count", "N", counts="Submission"),
        Attribute("budget_limit_usd", "N", required=False, python="float"),
        *_STAMPS,
    ),
)

SUBMISSION = Entity(
    "Submission",
    "VibeJudgeTable",
    keys=(
        Key("HACK#{hack_id}", "SUB#{sub_id}"),
        Key("SUB#{sub_id}", "HACK#{hack_id}", on="GSI1"),
    ),
    attributes=(
        *_TYPE,
        *_ulid("sub_id", "hack_id"),
        *texts("team_name", "repo_url", "repo_owner", "repo_name", "default_branch"),
        Attribute(
            "status",
            values=("pending", "cloning", "analyzing", "completed", "failed", "timeout"),
            mutable=True,
        ),
        Attribute("error_message", required=False, required_when={"status": "failed"}),
        *numbers(
            "overall_score",
            "rank",
            "total_cost_usd",
            "total_tokens",
            "analysis_duration_ms",
            required=False,
        ),
        Attribute("repo_meta", "M", required=False, python="float", examples=(_REPO_META,)),
        *_STAMPS,
    ),
    # "Submission record for a repo", of a team.
    unique=(Unique(("hack_id", "repo_url")), Unique(("hack_id", "team_name"))),
    per_partition=500,
)

SCORE = Entity(
    "AgentScore",
    "VibeJudgeTable",
    keys=(Key("SUB#{sub_id}", "SCORE#{agent_name}"),),
    attributes=(
        *_TYPE,
        *_ulid("sub_id", "hack_id"),
        *_AGENT,
        *texts("model_id"),
        Attribute("scores", "M", python="float", examples=_SCORES),
        *numbers("overall_score"),
        Attribute("evidence", "L"),
        *texts("summary"),
        # "Full LLM response (for debugging, stored in S3 if >400KB)."
        Attribute("raw_response", required=False, max_bytes=400 * 1024),
        *numbers("latency_ms"),
        *_CREATED,
    ),
)

SUMMARY = Entity(
    "SubmissionSummary",
    "VibeJudgeTable",
    keys=(Key("SUB#{sub_id}", "SUMMARY"),),
    attributes=(
        *_TYPE,
        *_ulid("sub_id", "hack_id"),
        Attribute("team_name", copy_of="Submission.team_name"),
        Attribute("weighted_scores", "M", python="float", examples=(_WEIGHTED,)),
        *numbers("overall_score"),
        Attribute("agent_scores", "M"),
        Attribute("strengths", "L", max_items=3),
        Attribute("weaknesses", "L", max_items=3),
        Attribute(
            "recommendation",
            values=(
                "strong_contender",
                "solid_submission",
                "needs_improvement",
                "concerns_flagged",
            ),
        ),
        *numbers("total_cost_usd", "total_tokens", "analysis_duration_ms"),
        *_CREATED,
    ),
)

COST = Entity(
    "CostRecord",
    "VibeJudgeTable",
    keys=(Key("SUB#{sub_id}", "COST#{agent_name}"),),
    attributes=(
        *_TYPE,
        *_ulid("sub_id", "hack_id"),
        *_AGENT,
        *texts("model_id"),
        *numbers("input_tokens", "output_tokens", "total_tokens"),
        *numbers("input_cost_usd", "output_cost_usd", "total_cost_usd", "latency_ms"),
        Attribute("service_tier", values=("standard", "flex")),
        *numbers("cache_read_tokens", "cache_write_tokens", required=False),
        *_CREATED,
    ),
    # "Retained for billing intelligence."
    append_only=True,
    relations=(
        "total_tokens == input_tokens + output_tokens",
        "total_cost_usd == input_cost_usd + output_cost_usd",
    ),
)

HACKATHON_COST = Entity(
    "HackathonCost",
    "VibeJudgeTable",
    keys=(Key("HACK#{hack_id}", "COST#SUMMARY"),),
    attributes=(
        *_TYPE,
        *_ulid("hack_id"),
        *numbers("total_cost_usd", "total_input_tokens", "total_output_tokens"),
        *numbers("submissions_analyzed", "avg_cost_per_submission"),
        # {agent_name: total_cost}, {model_id: total_cost}: "updated after each submission".
        Attribute("cost_by_agent", "M"),
        Attribute("cost_by_model", "M"),
        *numbers("budget_limit_usd", "budget_remaining_usd", required=False),
        *texts("updated_at", format="iso_seconds"),
    ),
)

JOB = Entity(
    "AnalysisJob",
    "VibeJudgeTable",
    keys=(
        Key("HACK#{hack_id}", "JOB#{job_id}"),
        Key("JOB_STATUS#{status}", "{created_at}", on="GSI2"),
    ),
    attributes=(
        *_TYPE,
        *_ulid("job_id", "hack_id"),
        Attribute(
            "status",
            values=("queued", "running", "completed", "failed", "cancelled"),
            mutable=True,
        ),
        *numbers("total_submissions", "completed_submissions", "failed_submissions"),
        *texts("started_at", "completed_at", required=False, format="iso_seconds"),
        # "List of {sub_id, error_message} for failures."
        Attribute("error_log", "L", required=False, grows=True, item_bytes=300),
        *_STAMPS,
        Attribute("expires_at", "N", required=False, format="epoch_seconds"),
    ),
    ttl="expires_at",
    # "30 days after completion"; "when creating an AnalysisJob: int(time.time()) + 30 days".
    retention=Retention(days=30, after="completed_at", computed_from="created_at"),
)

ENTITIES = (
    ORGANIZER,
    HACKATHON,
    DETAIL,
    SUBMISSION,
    SCORE,
    SUMMARY,
    COST,
    HACKATHON_COST,
    JOB,
)

# --- patterns ------------------------------------------------------------------------------------

READS = (
    Pattern("ap1_organizer", "get", "Organizer", key={"PK": "ORG#{org_id}", "SK": "PROFILE"}),
    Pattern(
        "ap2_organizer_by_email",
        "query",
        "Organizer",
        index="GSI1",
        key={"GSI1PK": "EMAIL#{email}"},
        # "Login by email."
        fresh=True,
    ),
    Pattern(
        "ap3_hackathons_of_organizer",
        "query",
        "Hackathon",
        key={"PK": "ORG#{org_id}", "SK": Begins("HACK#")},
        # resp["Items"], and nothing more, in this helper and in those below.
        paged=False,
    ),
    Pattern(
        "ap4_hackathon",
        "get",
        "HackathonDetail",
        key={"PK": "HACK#{hack_id}", "SK": "META"},
        stated_units=1,
    ),
    Pattern(
        "ap5_hackathon_by_id",
        "query",
        "Hackathon",
        index="GSI1",
        key={"GSI1PK": "HACK#{hack_id}", "GSI1SK": "META"},
        # "From any context": it says whose the hackathon is, and in which state.
        fresh=True,
    ),
    Pattern(
        "ap6_submissions",
        "query",
        "Submission",
        key={"PK": "HACK#{hack_id}", "SK": Begins("SUB#")},
        expect=50,
        stated_units=3,
        paged=False,
    ),
    Pattern(
        "ap7_submission", "get", "Submission", key={"PK": "HACK#{hack_id}", "SK": "SUB#{sub_id}"}
    ),
    Pattern(
        "ap8_submission_by_id",
        "query",
        "Submission",
        index="GSI1",
        key={"GSI1PK": "SUB#{sub_id}"},
        # "Direct submission lookup + find parent hackathon", and by it the owner.
        fresh=True,
    ),
    Pattern(
        "ap9_scores",
        "query",
        "AgentScore",
        key={"PK": "SUB#{sub_id}", "SK": Begins("SCORE#")},
        expect=4,
        paged=False,
    ),
    Pattern(
        "ap10_score", "get", "AgentScore", key={"PK": "SUB#{sub_id}", "SK": "SCORE#{agent_name}"}
    ),
    Pattern(
        "ap11_summary", "get", "SubmissionSummary", key={"PK": "SUB#{sub_id}", "SK": "SUMMARY"}
    ),
    Pattern(
        "ap12_costs",
        "query",
        "CostRecord",
        key={"PK": "SUB#{sub_id}", "SK": Begins("COST#")},
        expect=4,
        paged=False,
    ),
    Pattern(
        "ap13_hackathon_cost",
        "get",
        "HackathonCost",
        key={"PK": "HACK#{hack_id}", "SK": "COST#SUMMARY"},
        stated_units=1,
    ),
    Pattern(
        "ap14_jobs",
        "query",
        "AnalysisJob",
        key={"PK": "HACK#{hack_id}", "SK": Begins("JOB#")},
        drops_expired=False,
    ),
    Pattern(
        "ap15_jobs_by_status",
        "query",
        "AnalysisJob",
        index="GSI2",
        key={"GSI2PK": "JOB_STATUS#{status}"},
        # "GSI2 returns only PK/SK, then we do a GetItem on the table for full data."
        hydrate=True,
        reads="*",
        expect=10,
        drops_expired=False,
    ),
    Pattern(
        "ap16_leaderboard",
        "query",
        "Submission",
        key={"PK": "HACK#{hack_id}", "SK": Begins("SUB#")},
        order="overall_score",
        descending=True,
        expect=50,
        paged=False,
    ),
    # Whoever wants to submit has to find the hackathon; no pattern lists those of all organisers.
    Pattern("open_hackathons", "query", "HackathonDetail", by=("status",), wish=True),
)

WRITES = (
    Pattern("create_organizer", "put", "Organizer", unique=("email",), wish=True),
    Pattern("create_hackathon", "put", "Hackathon", wish=True),
    Pattern("create_hackathon_detail", "put", "HackathonDetail", wish=True),
    Pattern(
        "create_submission",
        "put",
        "Submission",
        stated_units=1,
    ),
    Pattern(
        "update_submission_status",
        "update",
        "Submission",
        key={"PK": "HACK#{hack_id}", "SK": "SUB#{sub_id}"},
        sets=("status", "updated_at"),
        existing=True,
        stated_units=1,
    ),
    Pattern(
        "update_hackathon_cost",
        "update",
        "HackathonCost",
        key={"PK": "HACK#{hack_id}", "SK": "COST#SUMMARY"},
        # "Updated after each submission completes"; {agent_name: total_cost} and {model_id:
        # total_cost} are sums, to which one adds like this. No expression is given.
        update=(
            "ADD total_cost_usd :cost, total_input_tokens :input, total_output_tokens :output, "
            "submissions_analyzed :one, cost_by_agent.#agent :cost, cost_by_model.#model :cost "
            "SET avg_cost_per_submission = :average, budget_remaining_usd = :remaining, "
            "updated_at = :now"
        ),
        names={"#agent": "bug_hunter", "#model": "amazon.nova-lite-v1:0"},
        values={
            ":cost": "N",
            ":input": "N",
            ":output": "N",
            ":one": "N",
            ":average": "N",
            ":remaining": "N",
            ":now": "S",
        },
        # Averages and the rest of the budget are "calculated".
        after_read=True,
        stated_units=1,
    ),
    # with self.table.batch_writer() as batch: "Atomic write of scores + costs + summary".
    Pattern(
        "write_analysis_results",
        "batch_write",
        members=(
            Pattern("", "put", "AgentScore", many=4, varies=("agent_name",)),
            Pattern("", "put", "CostRecord", many=4, varies=("agent_name",)),
            Pattern("", "put", "SubmissionSummary"),
        ),
        atomic=True,
        # "Write agent scores ... cost records ... summaries: WCU per op 1".
        stated_units=9,
        # "Peaks at ~50 WCU for short bursts", of items of 1 unit.
        peak=50 / 9,
    ),
    Pattern("create_job", "put", "AnalysisJob", wish=True),
    Pattern(
        "update_job",
        "update",
        "AnalysisJob",
        key={"PK": "HACK#{hack_id}", "SK": "JOB#{job_id}"},
        sets=("status", "completed_submissions", "failed_submissions", "updated_at", "GSI2PK"),
        existing=True,
        wish=True,
    ),
)

FLOWS = (
    Flow(
        "submission detail",
        steps=("ap7_submission", "ap9_scores"),
        stated_operations=2,
    ),
)

# --- what else it says ---------------------------------------------------------------------------

FIGURES = (
    Figure("free.read_units", 25),
    Figure("free.write_units", 25),
    Figure("free.storage_gb", 25),
    Figure("write units provisioned", 15, formula="5 + 5 + 5"),
    Figure("writes of 50 submissions", 700, formula="50 + 50 * 4 + 50 * 4 + 50 + 50 + 150"),
    Figure("seconds to write at 5 units", 140, formula="700 / 5"),
    Figure("writes of 500 submissions", 7000, formula="700 * 10"),
)

SAMPLES = (
    Sample(
        "Organizer",
        """
{
  "PK": "ORG#01JKXYZ1234567890ABCDE",
  "SK": "PROFILE",
  "entity_type": "ORGANIZER",
  "org_id": "01JKXYZ1234567890ABCDE",
  "email": "demo@vibejudge.ai",
  "name": "Demo Organizer",
  "organization": "Vibe Coders",
  "tier": "premium",
  "hackathon_count": 1,
  "created_at": "2026-02-13T00:00:00Z",
  "updated_at": "2026-02-13T00:00:00Z",
  "GSI1PK": "EMAIL#demo@vibejudge.ai",
  "GSI1SK": "ORG#01JKXYZ1234567890ABCDE"
}
""",
    ),
    Sample(
        "Hackathon",
        """
{
  "PK": "ORG#01JKXYZ1234567890ABCDE",
  "SK": "HACK#01JKXYZ9876543210FGHIJ",
  "entity_type": "HACKATHON",
  "hack_id": "01JKXYZ9876543210FGHIJ",
  "org_id": "01JKXYZ1234567890ABCDE",
  "name": "AWS Bedrock Builders Hackathon",
  "status": "configured",
  "submission_count": 3,
  "created_at": "2026-02-13T00:00:00Z",
  "updated_at": "2026-02-13T00:00:00Z",
  "GSI1PK": "HACK#01JKXYZ9876543210FGHIJ",
  "GSI1SK": "META"
}
""",
    ),
    Sample(
        "HackathonDetail",
        """
{
  "PK": "HACK#01JKXYZ9876543210FGHIJ",
  "SK": "META",
  "entity_type": "HACKATHON_DETAIL",
  "hack_id": "01JKXYZ9876543210FGHIJ",
  "org_id": "01JKXYZ1234567890ABCDE",
  "name": "AWS Bedrock Builders Hackathon",
  "description": "Build innovative applications using Amazon Bedrock",
  "status": "configured",
  "start_date": "2026-03-01T00:00:00Z",
  "end_date": "2026-03-02T23:59:59Z",
  "rubric": {
    "name": "AWS Bedrock Challenge",
    "version": "1.0",
    "max_score": 100,
    "dimensions": [
      {"name": "code_quality", "weight": 0.25, "agent": "bug_hunter",
       "description": "Code quality, security, test coverage"},
      {"name": "architecture", "weight": 0.25, "agent": "performance",
       "description": "Architecture design, scalability"},
      {"name": "innovation", "weight": 0.30, "agent": "innovation",
       "description": "Technical innovation, creativity"},
      {"name": "authenticity", "weight": 0.20, "agent": "ai_detection",
       "description": "Development authenticity"}
    ]
  },
  "agents_enabled": ["bug_hunter", "performance", "innovation", "ai_detection"],
  "ai_policy_mode": "ai_assisted",
  "repo_urls": [
    "https://github.com/demo-team-1/bedrock-chatbot",
    "https://github.com/demo-team-2/rag-pipeline",
    "https://github.com/demo-team-3/nova-image-gen"
  ],
  "submission_count": 3,
  "budget_limit_usd": 5.00,
  "created_at": "2026-02-13T00:00:00Z",
  "updated_at": "2026-02-13T00:00:00Z"
}
""",
    ),
)
