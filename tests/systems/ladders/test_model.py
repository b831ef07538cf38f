"""The model says what the design says: tables, indexes, attributes, ids, patterns."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from tablewright.client import Db, Embedded
from tablewright.engine import AwsError, Engine
from tablewright.model import Entity, Personal, definition
from tablewright.model.tables import create_request, pitr_request
from tablewright.systems.ladders import demo_items as d
from tablewright.systems.ladders import ids
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.demo import demo
from tablewright.systems.ladders.environments import Environment

# --- tables --------------------------------------------------------------------------------------

#: Table, its key, and each index with its keys and types.
TABLES: dict[str, tuple[str, dict[str, list[tuple[str, str]]]]] = {
    "Users": ("userId", {}),
    "Teams": ("teamId", {"managerId-index": [("managerId", "S")]}),
    "AssessmentPlans": (
        "planId",
        {"teamId-index": [("teamId", "S")], "status-index": [("status", "S")]},
    ),
    "Assessments": (
        "assessmentId",
        {
            "planId-teamMemberId-index": [("planId", "S"), ("teamMemberId", "S")],
            "teamMemberId-index": [("teamMemberId", "S")],
        },
    ),
    "AssessmentReports": (
        "reportId",
        {"planId-index": [("planId", "S")], "teamMemberId-index": [("teamMemberId", "S")]},
    ),
    "ConfigVersions": ("configId", {"isActive-index": [("isActive", "N"), ("createdAt", "N")]}),
}


def test_six_tables_with_eight_indexes() -> None:
    assert list(m.model.tables) == list(TABLES)
    for name, (key, indexes) in TABLES.items():
        body = create_request(m.model.tables[name])
        types = {
            each["AttributeName"]: each["AttributeType"] for each in body["AttributeDefinitions"]
        }
        assert body["KeySchema"] == [{"AttributeName": key, "KeyType": "HASH"}]
        found = {
            each["IndexName"]: [
                (part["AttributeName"], types[part["AttributeName"]]) for part in each["KeySchema"]
            ]
            for each in body.get("GlobalSecondaryIndexes", ())
        }
        assert found == indexes
        assert body["BillingMode"] == "PAY_PER_REQUEST"
        tags = {each["Key"]: each["Value"] for each in body["Tags"]}
        assert tags == {"Environment": "dev", "Application": "osem-ladders"}
        assert m.model.tables[name].ttl is None
        assert ("StreamSpecification" in body) == (name == "Assessments")


ASSESSMENTS = {
    "entity",
    "teamId",
    "assessorId",
    "assessmentType",
    "status",
    "currentLevel",
    "answered",
    "total",
    "submittedAt",
    "late",
    "withdrawnAt",
    "updatedAt",
}
REPORTS = {
    "entity",
    "teamId",
    "selfAssessmentId",
    "managerAssessmentId",
    "season",
    "configVersion",
    "finalLevel",
    "selfAssessedLevel",
    "categoryLevels",
    "summary",
    "status",
    "generatedAt",
    "releasedAt",
    "acknowledgedAt",
    "exportedAt",
    "openActions",
    "nextActionDue",
    "updatedAt",
}
#: None is everything.
PROJECTIONS: dict[tuple[str, str], set[str] | None] = {
    ("Teams", "managerId-index"): None,
    ("AssessmentPlans", "teamId-index"): None,
    ("AssessmentPlans", "status-index"): None,
    ("Assessments", "planId-teamMemberId-index"): ASSESSMENTS,
    ("Assessments", "teamMemberId-index"): ASSESSMENTS | {"planId"},
    ("AssessmentReports", "planId-index"): REPORTS | {"teamMemberId"},
    ("AssessmentReports", "teamMemberId-index"): REPORTS | {"planId"},
    ("ConfigVersions", "isActive-index"): {"entity", "version", "createdBy"},
}


def test_indexes_hold_what_the_design_says_and_no_more() -> None:
    found: dict[tuple[str, str], set[str] | None] = {}
    for name, table in m.model.tables.items():
        for each in create_request(table).get("GlobalSecondaryIndexes", ()):
            held = each["Projection"].get("NonKeyAttributes")
            found[name, each["IndexName"]] = None if held is None else set(held)
            assert held is None or len(held) == len(set(held)) <= 20
    assert found == PROJECTIONS


def test_an_index_names_attributes_that_there_are() -> None:
    for table in m.model.tables.values():
        known = {
            field.attribute for each in table.entities.values() for field in each.fields.values()
        }
        for index in table.indexes.values():
            assert set(index.include or ()) <= known


# --- environments --------------------------------------------------------------------------------


def test_production_can_be_restored_and_is_not_deleted_by_mistake() -> None:
    for table in m.model.tables.values():
        prod = Environment("prod").table(table)
        assert pitr_request(prod) is not None
        body = create_request(prod)
        assert body["DeletionProtectionEnabled"] is True
        assert body["TableName"] == f"osem-prod-{table.name}"
        dev = Environment("dev").table(table)
        assert pitr_request(dev) is None
        assert "DeletionProtectionEnabled" not in create_request(dev)
        tags = {each["Key"]: each["Value"] for each in create_request(dev)["Tags"]}
        assert tags == {"Environment": "dev", "Application": "osem-ladders"}
        same = ("KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes", "BillingMode")
        assert all(body.get(name) == create_request(table).get(name) for name in same)


@pytest.mark.parametrize("name", ["", "Prod", "a b", "x" * 21])
def test_what_is_no_environment(name: str) -> None:
    with pytest.raises(ValueError, match="environment"):
        Environment(name)


# --- items ---------------------------------------------------------------------------------------


def item(entity: Entity) -> dict[str, Any]:
    return definition(entity).encode(entity)


def of(kind: type[Entity], **values: object) -> Any:
    for each in demo().items:
        if type(each) is kind and all(getattr(each, name) == v for name, v in values.items()):
            return each
    raise AssertionError(f"the demo has no {kind.__name__} with {values}")


KEYS: list[tuple[Entity, str, str]] = [
    (of(m.User), "userId", "00000001-0000-4000-8000-000000000001"),
    (of(m.EmailLock), "userId", "EMAIL#omar.1@example.com"),
    (
        of(m.SubjectLink),
        "userId",
        "SUB#" + ids.subject_hash(d.ISSUER, "00000001-0000-4000-8000-000000000001"),
    ),
    (of(m.Team), "teamId", "00000002-0000-4000-8000-000000000000"),
    (d.CURRENT, "planId", ids.plan_id("00000002-0000-4000-8000-000000000000", "2026-H2")),
    (
        of(m.Assessment),
        "assessmentId",
        ids.assessment_id(d.CURRENT.plan_id, "00000001-0000-4000-8000-000000000004", "self"),
    ),
    (
        d.report(d.CURRENT, 4),
        "reportId",
        ids.report_id(d.CURRENT.plan_id, "00000001-0000-4000-8000-000000000004"),
    ),
    (of(m.ConfigVersion), "configId", ids.config_id("1.0.0")),
    (of(m.ActiveConfig), "configId", "ACTIVE"),
    (d.reminded(), "planId", f"REMINDED#{d.CURRENT.plan_id}#asked#2026-11-15"),
]


@pytest.mark.parametrize(
    ("entity", "attribute", "text"), KEYS, ids=[type(each).__name__ for each, _, _ in KEYS]
)
def test_keys_are_those_of_the_design(entity: Entity, attribute: str, text: str) -> None:
    assert item(entity)[attribute] == {"S": text}


def test_every_entity_has_its_key_checked() -> None:
    assert {type(each).__name__ for each, _, _ in KEYS} == set(m.model.entities)


@pytest.mark.parametrize("entity", [each for each, _, _ in KEYS])
def test_every_item_has_the_common_attributes(entity: Entity) -> None:
    stored = item(entity)
    assert stored["entity"] == {"S": type(entity).__name__}
    assert set(stored["createdBy"]) == {"S"}
    assert set(stored["createdAt"]) == set(stored["updatedAt"]) == set(stored["revision"]) == {"N"}


def test_times_are_milliseconds() -> None:
    moment = datetime(2026, 9, 1, 8, tzinfo=UTC)
    assert item(of(m.User))["createdAt"] == {"N": str(int(moment.timestamp()) * 1000)}


def test_attributes_have_the_names_and_types_of_the_design() -> None:
    plan = item(of(m.Plan, season="2026-H2", status="draft"))
    assert {name: next(iter(value)) for name, value in plan.items()} == {
        "planId": "S",
        "teamId": "S",
        "planName": "S",
        "season": "S",
        "startDate": "N",
        "endDate": "N",
        "status": "S",
        "configId": "S",
        "configVersion": "S",
        "memberIds": "SS",
        "flagThreshold": "N",
        "requireAll": "BOOL",
        "activation": "M",
        "entity": "S",
        "createdBy": "S",
        "createdAt": "N",
        "updatedAt": "N",
        "revision": "N",
    }
    user = item(of(m.User, user_id=d.uuid(1, 2)))
    assert user["roles"] == {"SS": ["manager"]}
    assert user["isActive"] == {"BOOL": True}
    assert set(user["managedTeamIds"]) == {"SS"}


def test_an_empty_set_is_absent() -> None:
    user = item(of(m.User, user_id=d.uuid(1, 9)))
    assert user.keys().isdisjoint({"roles", "teamIds", "managedTeamIds"})
    team = item(of(m.Team, team_id=d.uuid(2, 2)))
    assert team.keys().isdisjoint({"memberIds", "openPlanIds", "managerId"})


def test_an_active_ladder_has_a_number_and_others_nothing() -> None:
    assert item(d.config("1.0.0", active=True))["isActive"] == {"N": "1"}
    assert "isActive" not in item(d.config("1.0.0"))
    assert "isActive" not in item(d.pointer("1.0.0", None))


def test_a_boolean_cannot_be_the_key_of_an_index() -> None:
    wrong = {**item(d.config("1.0.0")), "isActive": {"BOOL": True}}
    with Engine.memory() as engine:
        Db(Embedded(engine)).create_tables(m.config_table)
        with pytest.raises(AwsError, match="isActive"):
            engine.call("PutItem", {"TableName": "ConfigVersions", "Item": wrong})


def test_nested_data_have_the_names_of_the_design() -> None:
    assessment = item(of(m.Assessment, status="submitted", assessment_type="self"))
    assert assessment["selections"]["M"]["Craft"] == {
        "M": {"Coding": {"N": "3"}, "Design": {"N": "3"}}
    }
    said = assessment["feedback"]["M"]["Craft"]["M"]["Coding"]["M"]["3"]["M"]
    assert set(said) == {"evidence", "nextLevelFeedback"}
    report = item(d.with_action(d.report(d.CURRENT, 4), 5))
    assert report["categoryLevels"]["M"]["Craft"] == {
        "M": {"self": {"N": "3"}, "manager": {"N": "4"}}
    }
    assert set(report["variance"]["M"]["Craft"]["M"]["Coding"]["M"]) == {
        "selfScore",
        "managerScore",
        "difference",
    }
    assert report["sourceRevisions"] == {"M": {"self": {"N": "1"}, "manager": {"N": "1"}}}
    assert set(report["actions"]["M"][d.uuid(3, 1)]["M"]) == {"title", "dueAt", "status", "note"}
    ladder = item(d.config("1.0.0"))["parsedConfig"]["M"]
    assert set(ladder) == {"levelNames", "categories"}
    level = ladder["categories"]["L"][0]["M"]["competencies"]["L"][0]["M"]["levels"]["L"][0]["M"]
    assert set(level) == {"level", "description", "detail"}


def test_a_new_assessment_has_the_maps_that_changes_need() -> None:
    new = item(d.assessment(d.CURRENT, 4, "self", "not_started"))
    assert new["selections"] == {"M": {"Craft": {"M": {}}, "Delivery": {"M": {}}}}
    assert new["feedback"]["M"]["Delivery"] == {
        "M": {"Planning": {"M": {}}, "Ownership": {"M": {}}}
    }
    assert "currentLevel" not in new


# --- ids -----------------------------------------------------------------------------------------


def test_an_id_follows_from_what_it_names() -> None:
    one = ids.plan_id(d.uuid(2, 0), "2026-H2")
    assert one == ids.plan_id(d.uuid(2, 0), "2026-H2")
    assert one != ids.plan_id(d.uuid(2, 0), "2026-H1")
    assert uuid.UUID(one).version == 5
    # What the parts are joined by cannot be forged with a part.
    assert ids.report_id("a", 'b","c') != ids.assessment_id("a", "b", 'c"')  # type: ignore[arg-type]


def test_kinds_do_not_share_ids() -> None:
    found = {
        ids.plan_id("a", "b"),
        ids.report_id("a", "b"),
        ids.user_id("a", "b"),
        ids.assessment_id("a", "b", "self"),
        ids.config_id("a"),
    }
    assert len(found) == 5


def test_a_user_is_called_like_the_subject_if_that_is_a_uuid() -> None:
    assert ids.user_id(d.ISSUER, d.uuid(1, 1)) == d.uuid(1, 1)
    assert ids.user_id(d.ISSUER, "google-oauth2|123") != ids.user_id("other", "google-oauth2|123")


def test_entities_find_their_own_ids() -> None:
    assert d.plan(0, "2026-H2", "draft").plan_id == ids.plan_id(d.uuid(2, 0), "2026-H2")
    assert d.config("1.2.3").config_id == ids.config_id("1.2.3")
    assert d.plan(0, "H2-2026", "draft") == d.plan(0, "2026-H2", "draft").model_copy(
        update={"plan_name": "Review H2-2026"}
    )


# --- fields --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (m.User, {"email": "Upper@Example.com"}),
        (m.User, {"email": "x" * 250 + "@x.org"}),
        (m.User, {"name": ""}),
        (m.User, {"name": "x" * 101}),
        (m.User, {"roles": {"owner"}}),
        (m.User, {"user_id": "EMAIL#omar.1@example.com"}),
        (m.User, {"team_ids": {d.uuid(2, n) for n in range(21)}}),
        (m.Team, {"team_name": "x"}),
        (m.Team, {"description": "x" * 1001}),
        (m.Team, {"member_ids": {d.uuid(1, n) for n in range(201)}}),
        (m.Plan, {"season": "autumn"}),
        (m.Plan, {"season": "2026-Q5"}),
        (m.Plan, {"status": "open"}),
        (m.Plan, {"flag_threshold": 10}),
        (m.Plan, {"config_version": "1.0"}),
        (m.Assessment, {"assessment_type": "peer"}),
        (m.Assessment, {"way_forward": "x" * 8001}),
        (m.Assessment, {"selections": {"Craft": {"Coding": 11}}}),
        (m.Assessment, {"feedback": {"Craft": {"Coding": {"3": {"evidence": "x" * 4001}}}}}),
        (m.Assessment, {"reopens": [{"by": d.uuid(1, 1), "at": d.NOW, "reason": "no"}]}),
        (m.Report, {"ack_comment": "x" * 2001}),
        (m.Report, {"status": "sent"}),
        (m.Report, {"actions": {"x": {"title": "x" * 201, "due_at": d.NOW}}}),
        (m.Report, {"actions": {str(n): d.action(1) for n in range(21)}}),
        (m.ConfigVersion, {"version": "v1"}),
        (m.ConfigVersion, {"config_content": "é" * 80_000}),
        (m.ConfigVersion, {"is_active": 0}),
    ],
)
def test_what_a_field_does_not_take(kind: type[Entity], change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        kind.model_validate({**of(kind).model_dump(), **change})


def test_personal_data_is_marked() -> None:
    marked = {
        (name, field.name)
        for name, known in m.model.entities.items()
        for field in known.fields.values()
        if Personal() in field.metadata
    }
    assert marked == {
        ("User", "email"),
        ("User", "name"),
        ("EmailLock", "email"),
        ("Assessment", "way_forward"),
        ("Assessment", "overall_reason"),
        ("Report", "override_reason"),
        ("Report", "way_forward"),
        ("Report", "ack_comment"),
    }


# --- patterns ------------------------------------------------------------------------------------

#: The rows of the design's table of access patterns, and the patterns that answer them.
ROWS: dict[str, set[str]] = {
    "U1": {"user"},
    "U2": {"all_users"},
    "U3": {"email_lock"},
    "U4": {"subject_link"},
    "T1": {"team", "users"},
    "T2": {"teams_of_manager"},
    "T3": {"all_teams"},
    "T4": {"teams"},
    "T5": {"teams"},
    "P1": {"plan"},
    "P2": {"plans_of_team"},
    "P3": {"plans_by_status"},
    "P4": {"plans_by_status"},
    "P5": {"plans_by_status", "unfinished_activations"},
    "P6": {"plan"},
    "P7": {"plans"},
    "A1": {"assessment"},
    "A2": {"assessments_of_member"},
    "A3": {"assessments_of_user"},
    "A4": {"assessment"},
    "A5": {"assessment_pair"},
    "A6": {"board"},
    "A7": {"assessments"},
    "A8": {"assessments"},
    "R1": {"report"},
    "R2": {"reports_of_plan"},
    "R3": {"reports_of_user"},
    "R4": {"report"},
    "R5": {"due_actions"},
    "C1": {"config"},
    "C2": {"active_config_line"},
    "C3": {"all_configs"},
    "C4": {"active_config"},
    "C5": {"config"},
}


def named_rows(doc: str) -> set[str]:
    _, opened, rest = doc.partition("[")
    return set(rest.partition("]")[0].split(", ")) if opened else set()


def test_every_row_of_the_design_has_its_patterns() -> None:
    found: dict[str, set[str]] = {}
    for name, pattern in m.model.patterns.items():
        for row in named_rows(pattern.doc):
            found.setdefault(row, set()).add(name)
    assert found == ROWS


def test_every_pattern_says_who_uses_it_and_how_often() -> None:
    silent = [
        name
        for name, each in m.model.patterns.items()
        if not each.component or not each.doc or each.rate is None
    ]
    assert silent == []


def test_whole_tables_are_read_by_admins_only() -> None:
    scans = {name for name, each in m.model.patterns.items() if each.kind == "scan"}
    assert scans == {"all_users", "all_teams", "all_configs"}


def test_what_is_read_by_id_is_read_consistently() -> None:
    gets = [each for each in m.model.patterns.values() if each.kind == "get"]
    assert len(gets) == 10
    assert all(each.consistent for each in gets)
    for name in ("users", "teams", "plans", "assessments", "assessment_pair"):
        op: Any = demo().calls[name]
        assert all(each.consistent for each in op.members)
