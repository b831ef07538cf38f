"""An image of a world in which all is well, with a journal of how it came about."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from soak.image import Change, Image, Index, Item, Stream, Table
from soak.journal import Deed, Journal, Outcome

SHA = "0" * 32


def table(name: str, keys: tuple[str, ...], *items: Item) -> Table:
    made = Table(name, keys)
    made.items = {made.key_of(item): dict(item) for item in items}
    return made


def typed(kind: str, pk: str, sk: str, **more: Any) -> Item:
    return {"PK": pk, "SK": sk, "entity_type": kind, **more}


def image() -> Image:
    made = (
        _streamed(),
        *_pricekeeper(),
        _kurukshetra(),
        _vibejudge(),
        _sentiment(),
        *_ladders(),
        _kit(),
    )
    return Image({each.name: each for each in made})


def journal() -> Journal:
    made = Journal()
    for deed in _DEEDS:
        made.add(deed)
    made.requests["pricekeeper"]["acknowledged"] += 2
    return made


GATEWAY = [{"order_id": "o1", "captured": True, "amount": 900, "amount_refunded": 400}]
DELIVERED = [
    {"id": "m1", "system": "ladders", "kind": "k", "subject": "s", "body": {"a": 1}},
    {"id": "m1", "system": "ladders", "kind": "k", "subject": "s", "body": {"a": 1}},
]


def _deed(
    system: str, kind: str, key: str, outcome: Outcome = "acknowledged", **facts: Any
) -> Deed:
    return Deed(system, kind, key, outcome, facts)


_DEEDS = (
    _deed("pricekeeper", "record", "r1", picos=30),
    _deed("pricekeeper", "record", "r2", "unknown", picos=12),
    _deed("kurukshetra", "team", "t1", event="e"),
    _deed("kurukshetra", "registration", "a@b", event="e"),
    _deed("vibejudge", "hackathon", "h1"),
    _deed("vibejudge", "submission", "s1"),
    _deed("vibejudge", "job", "j1"),
    _deed("sentiment", "article", "https://a"),
    _deed("ladders", "user", "u1"),
    _deed("ladders", "save", "f1", revision=3),
    _deed("ladders", "submitted", "f1"),
    _deed("ladders", "report", "rep"),
    _deed("ladders", "audited", "x", action="team.create", subject="team/g1"),
)


def _streamed() -> Table:
    """A table with an index and a stream."""
    first, second = {"id": "a", "n": Decimal(1)}, {"id": "a", "n": Decimal(2), "more": "x"}
    other, gone = {"id": "b"}, {"id": "c", "n": Decimal(5)}
    made = table("Things", ("id",), second, other)
    made.indexes = [Index("by_n", ("n",), frozenset({"id", "n"}), [{"id": "a", "n": Decimal(2)}])]
    made.stream = Stream(
        "NEW_AND_OLD_IMAGES",
        [
            Change("INSERT", ("a",), first, None),
            Change("INSERT", ("c",), gone, None),
            Change("MODIFY", ("a",), second, dict(first)),
            Change("REMOVE", ("c",), None, gone),
            Change("INSERT", ("b",), other, None),
        ],
    )
    return made


def _pricekeeper() -> tuple[Table, ...]:
    place = {"org_id": "o", "app_id": "a", "label": "l", "day": "20261116"}

    def row(request_id: str, cost: int) -> Item:
        amounts = {"cost_usd_picos": Decimal(cost), "input_tokens": Decimal(cost)}
        return {"PK": "p", "SK": request_id, "request_id": request_id, "kind": "USAGE"} | (
            place | amounts
        )

    def counter(shard: str, cost: int) -> Item:
        amounts = {"cost_usd_picos": Decimal(cost), "input_tokens": Decimal(cost)}
        return {"PK": shard, "SK": "d"} | place | amounts

    total = {
        "PK": "t",
        "SK": "d",
        "scope": "ORG#o#APP#a",
        "label": "l",
        "period": "DAY#20261116",
        "cost_usd_picos": Decimal(42),
    }
    keys = ("PK", "SK")
    return (
        table("RequestDedup", keys, row("r1", 30), row("r2", 12)),
        table("UsageAggSharded", keys, counter("0", 30), counter("1", 12)),
        table("DailyTotal", keys, total),
    )


def _kurukshetra() -> Table:
    team = {"event_id": "e", "team_id": "t1", "name": "Owls", "invite_hash": SHA}
    pay = {"event_id": "e", "payment_id": "p1", "team_id": "t1", "razorpay_order_id": "o1"}
    return table(
        "codekurukshetra_main",
        ("PK", "SK"),
        typed("seats", "E", "SEATS", event_id="e", free=Decimal(1), capacity=Decimal(2)),
        typed("team", "T1", "PROFILE", **team, payment_status="paid"),
        typed("participant", "P1", "PROFILE", event_id="e", email_hash=SHA),
        typed("team_name_lock", "N", "LOCK", owner="t1", folded_name="owls"),
        typed("invite_lock", "I", "LOCK", owner="t1", invite_hash=SHA),
        typed(
            "payment",
            "PAY",
            "TRANSACTION",
            **pay,
            status="paid",
            amount=Decimal(900),
            refunded=Decimal(400),
        ),
        typed(
            "refund",
            "PAY",
            "REFUND#1",
            payment_id="p1",
            refund_id="f1",
            status="processed",
            amount=Decimal(400),
        ),
    )


def _vibejudge() -> Table:
    cost = Decimal("0.5")
    return table(
        "VibeJudgeTable",
        ("PK", "SK"),
        typed("HACKATHON_DETAIL", "H", "META", hack_id="h1", submission_count=Decimal(1)),
        typed("SUBMISSION", "H", "SUB", hack_id="h1", sub_id="s1"),
        typed("REPO_LOCK", "H", "REPO", sub_id="s1"),
        typed("TEAM_LOCK", "H", "TEAM", sub_id="s1"),
        typed(
            "ANALYSIS_JOB",
            "H",
            "JOB",
            job_id="j1",
            status="completed",
            completed_submissions=Decimal(1),
        ),
        typed("TASK", "J", "TASK", job_id="j1", sub_id="s1", state="done"),
        typed("SUBMISSION_SUMMARY", "S", "SUMMARY", sub_id="s1"),
        typed("COST_RECORD", "S", "COST", hack_id="h1", total_cost_usd=cost),
        typed("HACKATHON_COST", "H", "COST", hack_id="h1", total_cost_usd=cost),
    )


def _sentiment() -> Table:
    article = {
        "source_id": "file#1",
        "timestamp": "2026-11-16T06:12:19.628Z",
        "source_url": "https://a",
        "matched_tags": frozenset({"AI"}),
        "status": "analyzed",
        "sentiment": "positive",
    }
    hour = "h#2026-11-16T06Z"
    counts = {"ingested": Decimal(1), "positive": Decimal(1)}
    counted = {"source_id": "agg#all#00", "timestamp": hour, "subject": "all", "bucket": hour}
    return table("sentiment-items", ("source_id", "timestamp"), article, counted | counts)


def _ladders() -> tuple[Table, ...]:
    def form(name: str, kind: str, revision: int) -> Item:
        about = {"assessmentId": name, "planId": "p", "teamMemberId": "u1"}
        return about | {
            "assessmentType": kind,
            "revision": Decimal(revision),
            "status": "submitted",
        }

    revisions = {"self": Decimal(3), "manager": Decimal(2)}
    report = {"reportId": "rep", "selfAssessmentId": "f1", "managerAssessmentId": "f2"}
    user = {"userId": "u1", "isActive": True, "email": "a@b", "teamIds": frozenset({"g1"})}
    boss = {"userId": "u2", "isActive": True, "managedTeamIds": frozenset({"g1"})}
    lock = {"userId": "EMAIL#a@b", "email": "a@b", "ownerId": "u1"}
    team = {"teamId": "g1", "managerId": "u2", "memberIds": frozenset({"u1"})}
    plan = {"planId": "p", "status": "active", "memberIds": frozenset({"u1"})}
    config = {"configId": "c1", "isActive": Decimal(1)}
    return (
        table("Users", ("userId",), user, boss, lock),
        table("Teams", ("teamId",), team),
        table("AssessmentPlans", ("planId",), plan),
        table("Assessments", ("assessmentId",), form("f1", "self", 3), form("f2", "manager", 2)),
        table("AssessmentReports", ("reportId",), report | {"sourceRevisions": revisions}),
        table(
            "ConfigVersions",
            ("configId",),
            config,
            {"configId": "c0"},
            {"configId": "ACTIVE", "activeConfigId": "c1"},
        ),
    )


def _kit() -> Table:
    return table(
        "ladders-kit",
        ("PK", "SK"),
        {"PK": "AUDIT#202611#0", "SK": "1", "action": "team.create", "subject": "team/g1"},
        {"PK": "OUTBOX#SENT#20261116", "SK": "1", "place": "SENT#20261116", "message_id": "m1"},
        {"PK": "LEASE#worker", "SK": "LEASE", "fence": Decimal(4)},
    )
