"""The table, the entities and their keys, as the specification writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from tablewright.client import Db
from tablewright.engine import Engine
from tablewright.model import Entity, Provisioned, definition
from tablewright.systems.vibejudge import demo_analysis as runs
from tablewright.systems.vibejudge import demo_hackathons as made
from tablewright.systems.vibejudge import demo_judging as people
from tablewright.systems.vibejudge.analysis import Evidence
from tablewright.systems.vibejudge.demo import demo
from tablewright.systems.vibejudge.entities import Rubric, repo_key
from tablewright.systems.vibejudge.model import model

TABLE = "VibeJudgeTable"

#: The access patterns and transactions of the specification, by number.
READS: dict[int, set[str]] = {
    1: {"organizer"},
    2: {"email_lock"},
    3: {"hackathons_of_organizer"},
    4: {"hackathon"},
    5: {"hackathon_of_id"},
    6: {"submissions"},
    7: {"submission"},
    8: {"submission_of_id"},
    9: {"agent_scores"},
    10: {"agent_score"},
    11: {"submission_summary"},
    12: {"costs_of_submission"},
    13: {"hackathon_cost"},
    14: {"jobs_of_hackathon"},
    15: {"jobs_by_status"},
    16: {"leaderboard"},
    17: {"better_ranked"},
    18: {"job"},
    19: {"tasks_of_job"},
    20: {"tasks_due", "timers_due", "reservations_due"},
    21: {"public_hackathons"},
    22: {"repo_lock", "team_lock", "external_lock"},
    23: {"runs_of_submission"},
    24: {"reservations"},
    25: {"org_usage"},
    26: {"fingerprints"},
    27: {"rounds", "judges"},
    28: {"assignments"},
    29: {"comparisons"},
    30: {"human_scores", "overrides", "appeals"},
    31: {
        *("hackathons_to_erase", "hackathon_partition", "submission_partition", "job_partition"),
        "erase",
    },
    32: {"all_hackathons", "all_organizers"},
}
TRANSACTIONS: dict[int, set[str]] = {
    1: {"register"},
    2: {"create_hackathon"},
    3: {"edit_hackathon"},
    4: {"submit", "correct_submission"},
    5: {"start_job", "queue_tasks", "resume_job"},
    6: {"claim"},
    7: {"reserve"},
    8: {"settle"},
    9: {"publish", "store_score", "fail_task"},
    10: {"override_score", "revoke_override"},
    11: {"score_submission", "compare_submissions"},
    12: {"finish_job"},
}
#: Those that the specification reads strongly; and the eraser, who must not miss anything.
STRONG = {2, 4, 7, 11, 13, 18, 19, 22, 24, 31}
#: These too: final scores rest on what rounds, judges and comparisons say when a round is over.
STRONG |= {27, 28, 29}


# --- the table -----------------------------------------------------------------------------------


def test_the_table_is_as_small_as_the_free_tier_wants_it() -> None:
    table = model.table(TABLE)
    assert list(model.tables) == [TABLE]
    assert table.billing == Provisioned(5, 5)
    assert table.table_class == "STANDARD"
    assert set(table.tags) == {"Project", "Environment"}
    assert not table.pitr


def test_what_is_created_has_both_indexes_with_five_units_each(
    tablewright_engine: Engine, db: Db
) -> None:
    described = tablewright_engine.call("DescribeTable", {"TableName": TABLE})["Table"]
    assert [each["AttributeName"] for each in described["KeySchema"]] == ["PK", "SK"]
    found = {each["IndexName"]: each for each in described["GlobalSecondaryIndexes"]}
    assert found["GSI1"]["Projection"] == {"ProjectionType": "ALL"}
    assert set(found["GSI2"]["Projection"]["NonKeyAttributes"]) == {
        *["status", "name", "team_name", "start_date", "end_date", "overall_score", "final_score"],
        *["confidence", "partial", "recommendation", "entity_type"],
    }
    for each in (described, *found.values()):
        throughput = each["ProvisionedThroughput"]
        assert (throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]) == (5, 5)
    ttl = tablewright_engine.call("DescribeTimeToLive", {"TableName": TABLE})
    assert ttl["TimeToLiveDescription"]["AttributeName"] == "expires_at"


# --- keys ----------------------------------------------------------------------------------------

ORG, HACK, SUB = made.ORG.org_id, made.JUDGED.hack_id, made.CHATBOT.sub_id
RUN = made.CHATBOT.run_id
OPEN, EARLY = made.OPEN.hack_id, made.EARLY.sub_id
BUSY, JOB = made.RUNNING.hack_id, made.JOB_RUNNING
ADA, GRACE = people.ADA.judge_id, people.GRACE.judge_id
RELEASED = made.JUDGED.release_id
FIRST, SECOND = sorted((SUB, made.PIPELINE.sub_id))

#: Entity type, primary key, and index keys, as the specification's tables have them.
KEYS: list[tuple[str, str, str, dict[str, tuple[str, str]]]] = [
    ("RELEASE", f"HACK#{HACK}", f"RELEASE#{RELEASED}", {}),
    ("RELEASE_PAGE", f"HACK#{HACK}", f"RELEASE#{RELEASED}#000", {}),
    ("ORGANIZER", f"ORG#{ORG}", "PROFILE", {}),
    ("EMAIL_LOCK", f"EMAIL#{made.EMAIL.email_hash}", "LOCK", {}),
    ("USER_LOCK", f"USER#{made.USER.user_hash}", "LOCK", {}),
    ("ERASURE", "ERASING", f"ORG#{made.ERASURE.org_id}", {}),
    ("ORG_USAGE", f"ORG#{ORG}", "USAGE#2026", {}),
    ("HACKATHON", f"ORG#{ORG}", f"HACK#{HACK}", {"GSI1": (f"HACK#{HACK}", "META")}),
    (
        "HACKATHON_DETAIL",
        f"HACK#{HACK}",
        "META",
        {"GSI2": ("PUBLIC", f"2026-11-02T09:00:00Z#{HACK}")},
    ),
    # A private one is not in the gallery.
    ("HACKATHON_DETAIL", f"HACK#{made.DONE.hack_id}", "META", {}),
    (
        "SUBMISSION",
        f"HACK#{HACK}",
        f"SUB#{SUB}",
        {"GSI1": (f"SUB#{SUB}", f"HACK#{HACK}"), "GSI2": (f"HACK#{HACK}", f"RANK#0076.82#{SUB}")},
    ),
    # Without a score it has no rank.
    ("SUBMISSION", f"HACK#{OPEN}", f"SUB#{EARLY}", {"GSI1": (f"SUB#{EARLY}", f"HACK#{OPEN}")}),
    ("REPO_LOCK", f"HACK#{HACK}", "REPO#github.com/demo-team-1/bedrock-chatbot", {}),
    ("TEAM_LOCK", f"HACK#{HACK}", "TEAM#demo team 1", {}),
    ("EXTERNAL_LOCK", f"HACK#{OPEN}", "EXT#registration-17", {}),
    ("RUN", f"SUB#{SUB}", f"RUN#{RUN}", {}),
    ("AGENT_SCORE", f"SUB#{SUB}", f"SCORE#{RUN}#bug_hunter", {}),
    ("SUBMISSION_SUMMARY", f"SUB#{SUB}", "SUMMARY", {}),
    ("COST_RECORD", f"SUB#{SUB}", f"COST#{RUN}#bug_hunter#01-01", {}),
    ("HACKATHON_COST", f"HACK#{HACK}", "COST#SUMMARY", {}),
    (
        "RESERVATION",
        f"HACK#{BUSY}",
        f"RESV#{runs.WAITING_RUN.run_id}#performance#01-01",
        # Fifteen minutes after eleven.
        {"GSI2": (f"TASK_DUE#{runs.ORPHAN.shard}", "2026-11-20T11:15:00Z")},
    ),
    (
        "ANALYSIS_JOB",
        f"HACK#{BUSY}",
        f"JOB#{JOB}",
        {"GSI2": ("JOB_STATUS#running", "2026-11-20T11:00:00Z")},
    ),
    (
        "TASK",
        f"JOB#{JOB}",
        f"TASK#{made.QUEUED.sub_id}",
        {"GSI2": (f"TASK_DUE#{runs.QUEUED_TASK.shard}", "2026-11-20T11:00:00Z")},
    ),
    # One that has ended is not due.
    ("TASK", f"JOB#{runs.STOPPED_JOB.job_id}", f"TASK#{made.HALTED.sub_id}", {}),
    (
        "TIMER",
        f"HACK#{OPEN}",
        "FREEZE",
        {"GSI2": (f"TASK_DUE#{made.TIMER.shard}", "2026-11-29T09:00:00Z")},
    ),
    ("FINGERPRINT", f"HACK#{HACK}", f"FP#{SUB}", {}),
    ("ROUND", f"HACK#{HACK}", "ROUND#01", {}),
    ("JUDGE", f"HACK#{HACK}", f"JUDGE#{ADA}", {}),
    ("ASSIGNMENT", f"HACK#{HACK}", f"ASSIGN#01#{ADA}#{SUB}", {}),
    ("COMPARISON", f"HACK#{HACK}", f"CMP#02#{GRACE}#{FIRST}~{SECOND}", {}),
    ("HUMAN_SCORE", f"SUB#{SUB}", f"HSCORE#01#{ADA}", {}),
    ("OVERRIDE", f"SUB#{made.IMAGES.sub_id}", f"OVERRIDE#{people.OVERRIDDEN.override_id}", {}),
    ("APPEAL", f"SUB#{SUB}", f"APPEAL#{made.APPEAL_ID}", {}),
    (
        "BLEND_REQUEST",
        f"HACK#{HACK}",
        "BLEND",
        {"GSI2": (f"TASK_DUE#{people.request_of(85, made.NOW).shard}", "2026-11-09T09:00:00Z")},
    ),
    ("INVITE", f"INVITE#{people.invite_of(people.ALAN).token_hash}", "META", {}),
]


def stored(engine: Engine, pk: str, sk: str) -> dict[str, Any]:
    found = engine.call("GetItem", {"TableName": TABLE, "Key": {"PK": {"S": pk}, "SK": {"S": sk}}})
    assert "Item" in found, (pk, sk)
    item: dict[str, Any] = found["Item"]
    return item


@pytest.mark.parametrize(("kind", "pk", "sk", "indexes"), KEYS)
def test_keys(
    tablewright_engine: Engine,
    db: Db,
    kind: str,
    pk: str,
    sk: str,
    indexes: Mapping[str, tuple[str, str]],
) -> None:
    item = stored(tablewright_engine, pk, sk)
    assert item["entity_type"] == {"S": kind}
    found = {
        name: (item[f"{name}PK"]["S"], item[f"{name}SK"]["S"])
        for name in ("GSI1", "GSI2")
        if f"{name}PK" in item
    }
    assert found == indexes


def test_the_keys_of_every_entity_are_checked() -> None:
    assert {each.name for each in model.entities.values()} == {kind for kind, *_ in KEYS}
    assert len(model.entities) == 32


def test_the_indexes_hold_these_entities_and_no_others(tablewright_engine: Engine, db: Db) -> None:
    assert kinds_in(tablewright_engine, "GSI1") == {"HACKATHON", "SUBMISSION"}
    assert kinds_in(tablewright_engine, "GSI2") == {
        *("HACKATHON_DETAIL", "SUBMISSION", "ANALYSIS_JOB", "TASK", "TIMER", "RESERVATION"),
        "BLEND_REQUEST",
    }
    declared = {
        (known.name, key.index.name)
        for known in model.entities.values()
        for key in known.keys.values()
        if key.index is not None
    }
    assert declared == {
        *((kind, "GSI1") for kind in kinds_in(tablewright_engine, "GSI1")),
        *((kind, "GSI2") for kind in kinds_in(tablewright_engine, "GSI2")),
    }


def kinds_in(engine: Engine, index: str) -> set[str]:
    found = engine.call("Scan", {"TableName": TABLE, "IndexName": index})
    return {item["entity_type"]["S"] for item in found["Items"]}


def test_what_is_due_is_spread_over_eight_partitions() -> None:
    lanes = {runs.task_of(runs.RUNNING_JOB, _numbered(n)).shard for n in range(200)}
    assert lanes == set(range(8))


def _numbered(number: int) -> Any:
    return made.submission_of(made.OPEN, 1000 + number, "Team", "repo")


def test_these_expire_and_nothing_else() -> None:
    expiring = {name for name, known in model.entities.items() if known.ttl is not None}
    assert expiring == {"AnalysisJob", "Task", "Invite"}


def test_everything_has_a_time_and_what_changes_has_a_version() -> None:
    for name, known in model.entities.items():
        assert "created_at" in known.fields, name
        assert (known.version is not None) == ("updated_at" in known.fields), name
    updated = {
        member.entity.cls.__name__
        for pattern in model.patterns.values()
        for member in pattern.members
        if member.kind == "update" and member.entity is not None
    }
    versioned = {name for name, known in model.entities.items() if known.version is not None}
    # A reservation is written once more, when its call goes out, and by its own worker alone. A
    # timer is moved by the moment it rang at.
    assert updated - versioned == {"Reservation", "Timer"}


# --- patterns ------------------------------------------------------------------------------------


def numbered(tag: str) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for name, pattern in model.patterns.items():
        for number in re.findall(rf"\[{tag}(\d+)\]$", pattern.doc):
            found.setdefault(int(number), set()).add(name)
    return found


def test_every_access_pattern_and_transaction_of_the_specification_is_there() -> None:
    assert list(READS) == list(range(1, 33))
    assert list(TRANSACTIONS) == list(range(1, 13))
    assert numbered("AP") == READS
    assert numbered("T") == TRANSACTIONS


def test_only_the_audit_scans() -> None:
    scans = {name for name, pattern in model.patterns.items() if pattern.kind == "scan"}
    assert scans == READS[32]


def test_what_decides_is_read_strongly() -> None:
    reads = {number: names - {"erase"} for number, names in READS.items()}
    strong = {
        number
        for number, names in reads.items()
        if all(model.patterns[name].consistent for name in names)
    }
    assert strong == STRONG


def test_the_latest_and_the_best_come_first() -> None:
    descending = {name for name, pattern in model.patterns.items() if pattern.descending}
    assert descending == {
        *("hackathons_of_organizer", "jobs_of_hackathon", "leaderboard", "public_hackathons"),
        *("runs_of_submission", "overrides"),
    }


@pytest.mark.parametrize("name", model.patterns)
def test_a_pattern_says_who_uses_it_and_how_often(name: str) -> None:
    pattern = model.patterns[name]
    assert pattern.doc
    assert pattern.component in {"api", "analyser", "sweeper", "freezer", "eraser", "cli"}
    assert pattern.rate is not None
    if pattern.kind in ("query", "count", "collect", "scan", "batch"):
        assert pattern.expect is not None


def test_every_entity_can_be_read_and_written() -> None:
    written, read = set(), set()
    for pattern in model.patterns.values():
        names = {each.cls.__name__ for each in pattern.entities}
        (written if pattern.writes else read).update(names)
    assert read == set(model.entities)
    assert written == set(model.entities)


# --- fields --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entity", "changes"),
    [
        (made.ORG, {"email": "a" * 250 + "@b.io"}),
        (made.ORG, {"name": "n" * 101}),
        (made.ORG, {"tier": "gold"}),
        (made.ORG, {"org_id": "01JKXYZ1234567890ABCDE"}),
        (made.JUDGED, {"description": "d" * 4001}),
        (made.JUDGED, {"budget_limit_usd": 10_001}),
        (made.JUDGED, {"budget_limit_usd": -1}),
        (made.JUDGED, {"human_weight": "1.1"}),
        (made.JUDGED, {"end_date": made.JUDGED.start_date}),
        (made.JUDGED, {"end_date": None}),
        (made.JUDGED, {"agents_enabled": ["bug_hunter"]}),
        (made.JUDGED, {"ai_policy_mode": "custom"}),
        (made.JUDGED, {"ai_policy_config": {"authenticity_weight": "0.6"}}),
        (made.CHATBOT, {"team_name": ""}),
        (made.CHATBOT, {"team_name": "   "}),
        (made.CHATBOT, {"team_name": "t" * 51}),
        (made.CHATBOT, {"error_message": "e" * 1001}),
        (made.CHATBOT, {"external_id": "x" * 65}),
        (made.CHATBOT, {"overall_score": "100.01"}),
        (made.CHATBOT, {"overall_score": "76.825"}),
        (made.CHATBOT, {"confidence": "1.01"}),
        (made.CHATBOT, {"frozen_sha": "main"}),
        (made.CHATBOT, {"created_at": datetime(2026, 11, 1)}),
        (runs.score_of(made.CHATBOT, RUN or "", "innovation", made.NOW), {"summary": "s" * 2001}),
        (runs.score_of(made.CHATBOT, RUN or "", "innovation", made.NOW), {"agent_name": "judge"}),
        (people.OVERRIDDEN, {"reason": "too short"}),
        (people.comparison_of(people.ADA, made.CHATBOT, made.PIPELINE, made.NOW), {"winner": RUN}),
    ],
)
def test_what_the_specification_forbids_is_refused(
    entity: Entity, changes: dict[str, object]
) -> None:
    whole = entity.model_dump()
    type(entity).model_validate(whole)
    with pytest.raises(ValidationError):
        type(entity).model_validate({**whole, **changes})


def test_evidence_is_short_and_there_is_little_of_it() -> None:
    piece = {"file": "a.py", "line": 1, "severity": "low", "message": "m"}
    score = runs.score_of(made.CHATBOT, RUN or "", "innovation", made.NOW).model_dump()
    kind = type(runs.score_of(made.CHATBOT, RUN or "", "innovation", made.NOW))
    kind.model_validate({**score, "evidence": [piece] * 20})
    with pytest.raises(ValidationError):
        kind.model_validate({**score, "evidence": [piece] * 21})
    for wrong in ({"message": "m" * 501}, {"excerpt": "e" * 201}, {"line": 0}):
        with pytest.raises(ValidationError):
            Evidence.model_validate({**piece, **wrong})


@pytest.mark.parametrize(
    ("weights", "right"),
    [
        (["1"], True),
        (["0.5", "0.5009"], True),
        (["0.5", "0.502"], False),
        ([], False),
        (["0.1"] * 10, True),
        (["0.09090909"] * 11, False),
    ],
)
def test_a_rubric_has_one_to_ten_weights_that_sum_to_one(weights: list[str], right: bool) -> None:
    dimensions = [
        {"name": f"d{number}", "weight": weight, "agent": "innovation"}
        for number, weight in enumerate(weights)
    ]
    if right:
        assert len(Rubric.model_validate({"name": "r", "dimensions": dimensions}).dimensions)
    else:
        with pytest.raises(ValidationError):
            Rubric.model_validate({"name": "r", "dimensions": dimensions})


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/Demo-Team/Chat",
        "https://github.com/demo-team/chat.git",
        "https://GitHub.com/demo-team/chat/",
        " https://github.com/demo-team/chat.git/ ",
    ],
)
def test_one_repository_has_one_key_however_it_is_written(url: str) -> None:
    assert repo_key(url) == "github.com/demo-team/chat"


# --- the demo ------------------------------------------------------------------------------------


def test_the_demo_is_always_the_same_and_calls_every_pattern() -> None:
    one, other = demo(), demo()
    assert list(one.items) == list(other.items)
    assert one.calls == other.calls
    assert set(one.calls) == set(model.patterns)
    assert {definition(item).cls.__name__ for item in one.items} == set(model.entities)


def test_the_items_of_the_demo_are_valid_and_each_has_its_own_key() -> None:
    items = demo().items
    for item in items:
        assert type(item).model_validate(item.model_dump()) == item
    assert len({str(definition(item).key_of(item)) for item in items}) == len(items)


def test_nothing_in_the_demo_was_written_after_its_day() -> None:
    for item in demo().items:
        for name in ("created_at", "updated_at"):
            assert getattr(item, name, made.NOW) <= made.NOW, item
    assert datetime(2026, 11, 20, 12, tzinfo=UTC) == made.NOW


def test_the_copies_in_the_demo_agree() -> None:
    items = demo().items
    details = {each.hack_id: each for each in items if isinstance(each, type(made.JUDGED))}
    counts = dict.fromkeys(details, 0)
    for each in items:
        if isinstance(each, type(made.CHATBOT)):
            counts[each.hack_id] += 1
    assert counts == {hack_id: each.submission_count for hack_id, each in details.items()}
    assert len(details) == made.ORG.hackathon_count == made.USAGE.hackathons
