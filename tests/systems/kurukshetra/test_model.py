"""The model says what the design says: keys, indexes, time to live, personal data, patterns."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from tablewright.model import Entity, Personal, definition
from tablewright.model.explain import requests_of
from tablewright.model.tables import create_request, pitr_request, ttl_request
from tablewright.systems.kurukshetra import demo_items as d
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.demo import demo
from tablewright.systems.kurukshetra.fields import folded, slug_of

E = "EVENT#kurukshetra-2026"
P1 = "00000001-0000-4000-8000-000000000001"
T1 = "00000002-0000-4000-8000-000000000001"
Y1 = "00000003-0000-4000-8000-000000000001"
R1 = "00000004-0000-4000-8000-000000000001"
H_EMAIL = d.blind("ravi.iyer.1@example.com")
H_USER = d.blind("user-1")
H_PHONE = d.blind("+919876500001")
H_CODE = d.blind("JOIN0001")
H_FRIEND = d.blind("friend-1")


def key_text(entity: Entity) -> dict[str, str]:
    """Every key attribute of the item."""
    item = definition(entity).encode(entity)
    names = [each.name for each in m.table.key_attributes()]
    return {name: item[name]["S"] for name in names if name in item}


def of(kind: type[Entity], **values: object) -> Entity:
    """The first demo item of a kind that has these values."""
    for item in demo().items:
        if type(item) is kind and all(getattr(item, name) == v for name, v in values.items()):
            return item
    raise AssertionError(f"the demo has no {kind.__name__} with {values}")


KEYS: list[tuple[Entity, str, str]] = [
    (of(m.Participant), f"{E}#PARTICIPANT#{P1}", "PROFILE"),
    (of(m.Answer), f"{E}#PARTICIPANT#{P1}", "ANSWER#diet"),
    (of(m.CheckIn), f"{E}#PARTICIPANT#{P1}", "CHECKIN#entry"),
    (of(m.Team), f"{E}#TEAM#{T1}", "PROFILE"),
    (of(m.Member), f"{E}#TEAM#{T1}", f"MEMBER#{P1}"),
    (
        of(m.Invited),
        f"{E}#TEAM#00000002-0000-4000-8000-000000000007",
        f"INVITED#{H_FRIEND}",
    ),
    (of(m.Submission), f"{E}#TEAM#{T1}", "SUBMISSION"),
    (of(m.Payment), f"{E}#PAYMENT#{Y1}", "TRANSACTION"),
    (d.refund(1, 1, 500), f"{E}#PAYMENT#{Y1}", f"REFUND#{R1}"),
    (of(m.Config), f"{E}#CONFIG", "HACKATHON"),
    (of(m.Seats), f"{E}#CONFIG", "SEATS"),
    (of(m.Question), f"{E}#CONFIG", "QUESTION#01#diet"),
    (of(m.Statistics), f"{E}#STATS", "DAILY#2026-11-14#3"),
    (of(m.TrackStatistics), "EVENT#kurukshetra-mini#STATS", "TRACK#2026-11-14#robotics#2"),
    (of(m.EmailLock), f"{E}#EMAIL#{H_EMAIL}", "LOCK"),
    (of(m.TeamNameLock), f"{E}#TEAMNAME#code warriors", "LOCK"),
    (of(m.InviteLock), f"{E}#INVITE#{H_CODE}", "LOCK"),
    (of(m.RepositoryLock), f"{E}#REPO#github.com/demo/team-1", "LOCK"),
    (of(m.PaymentLock), "PAYREF#pay_0001", "LOCK"),
    (of(m.UidLink), f"UID#{H_USER}", E),
    (of(m.OrderLink), "ORDER#order_0001", "LINK"),
    (of(m.PhoneLink), f"{E}#PHONE#{H_PHONE}", f"PARTICIPANT#{P1}"),
    (of(m.Hold, team_id=d.uuid(2, 3)), f"{E}#HOLD", f"2026-11-15T06:45:00Z#{d.uuid(2, 3)}"),
    (
        of(m.Wait),
        "EVENT#kurukshetra-mini#WAIT",
        "000000000002#00000002-0000-4000-8000-000000000023",
    ),
    (of(m.Voucher), f"{E}#VOUCHER#EARLYBIRD", "DEF"),
    (of(m.VoucherLink), f"{E}#VOUCHERS", "VOUCHER#EARLYBIRD"),
    (of(m.VoucherUse), f"{E}#VOUCHER#EARLYBIRD", f"USE#{T1}"),
    (of(m.GatewayEvent), "GWEVENT#evt_0001", "SEEN"),
    (of(m.RefundDue), "REFUNDS", f"2026-11-15T06:30:00Z#{d.uuid(4, 31)}"),
    (of(m.Event), "EVENTS", E),
    (of(m.MailDay), "MAILS", "DAY#2026-11-15"),
    (of(m.Role), f"UID#{d.blind('user-90')}", "ROLE#kurukshetra-2026"),
    (of(m.RoleHolder), f"{E}#ROLES", f"ROLE#{d.blind('user-90')}"),
    (of(m.Draft), f"UID#{d.blind('user-60')}", "DRAFT#kurukshetra-2026"),
    (of(m.Scan), f"{E}#NONCE#nonce-0001", "SCAN"),
    (of(m.Certificate), "CERT#7ZKX3M9QH2C4W8TN", "META"),
    (of(m.Job), f"{E}#JOBS", f"JOB#{d.job(1).job_id}"),
    (of(m.JobTurn), "JOBS#certificates", f"2026-11-15T06:30:00Z#{d.job(1).job_id}"),
    (of(m.Erasure), "ERASURES", f"{E}#PARTICIPANT#{d.uuid(1, 21)}"),
    (of(m.Finding), f"{E}#RECON", "2026-11-15#00000005-0000-4000-8000-000000000001"),
]


@pytest.mark.parametrize(
    ("entity", "pk", "sk"), KEYS, ids=[type(each).__name__ for each, _, _ in KEYS]
)
def test_keys_are_those_of_the_design(entity: Entity, pk: str, sk: str) -> None:
    found = key_text(entity)
    assert (found["PK"], found["SK"]) == (pk, sk)


def test_every_entity_has_its_key_checked() -> None:
    checked = {type(entity).__name__ for entity, _, _ in KEYS} | {"PeopleLink"}
    assert checked == set(m.model.entities)


def test_people_are_spread_over_eight_places() -> None:
    found = {key_text(each)["PK"] for each in demo().items if isinstance(each, m.PeopleLink)}
    assert found <= {f"EVENT#{event}#PEOPLE#{n}" for event in (d.MAIN, d.SMALL) for n in range(8)}
    assert len(found) > 4
    again = m.PeopleLink(event_id=d.MAIN, participant_id=P1, created_at=d.NOW)
    assert key_text(again) == key_text(of(m.PeopleLink, participant_id=P1))


#: The keys of indexes; nothing else is in any.
INDEX_KEYS: list[tuple[Entity, dict[str, str]]] = [
    (
        of(m.Participant),
        {
            "GSI1PK": f"EMAIL#{H_EMAIL}",
            "GSI1SK": f"{E}#PARTICIPANT#{P1}",
            "GSI2PK": f"{E}#TEAM#{T1}",
            "GSI2SK": f"PARTICIPANT#{P1}",
            "GSI3PK": f"{E}#COLLEGE#example-university",
            "GSI3SK": f"PARTICIPANT#{P1}",
        },
    ),
    (
        of(m.Team),
        {"GSI3PK": f"{E}#PAYMENT_STATUS#paid", "GSI3SK": f"TRACK#ai-ml#TEAM#{T1}"},
    ),
    (
        of(m.Payment),
        {
            "GSI2PK": f"{E}#TEAM#{T1}",
            "GSI2SK": f"PAYMENT#2026-11-01T05:30:00Z#{Y1}",
            "GSI3PK": f"{E}#STATUS#paid",
            "GSI3SK": f"DATE#2026-11-01#PAYMENT#{Y1}",
        },
    ),
]


@pytest.mark.parametrize(("entity", "expected"), INDEX_KEYS)
def test_index_keys(entity: Entity, expected: dict[str, str]) -> None:
    found = key_text(entity)
    assert {name: found[name] for name in found if name.startswith("GSI")} == expected


def test_no_other_entity_is_in_an_index() -> None:
    indexed = {type(entity).__name__ for entity, _ in INDEX_KEYS}
    for name, known in m.model.entities.items():
        assert (len(known.keys) > 1) == (name in indexed)


def test_without_a_team_or_an_address_somebody_is_in_no_such_index() -> None:
    alone = d.person(20).model_copy(update={"email_hash": None, "college_slug": None})
    assert set(key_text(alone)) == {"PK", "SK"}


# --- the table -----------------------------------------------------------------------------------


def test_the_table() -> None:
    body = create_request(m.table)
    assert list(m.model.tables) == [body["TableName"]] == ["codekurukshetra_main"]
    assert body["BillingMode"] == "PAY_PER_REQUEST"
    assert body["StreamSpecification"]["StreamEnabled"] is True
    assert {each["AttributeType"] for each in body["AttributeDefinitions"]} == {"S"}
    ttl, pitr = ttl_request(m.table), pitr_request(m.table)
    assert ttl is not None
    assert ttl["TimeToLiveSpecification"] == {"AttributeName": "ttl", "Enabled": True}
    assert pitr is not None
    assert pitr["PointInTimeRecoverySpecification"]["RecoveryPeriodInDays"] == 35


def test_indexes_hold_what_the_design_says_and_no_more() -> None:
    found = {
        each["IndexName"]: (
            each["Projection"]["ProjectionType"],
            set(each["Projection"].get("NonKeyAttributes", ())),
        )
        for each in create_request(m.table)["GlobalSecondaryIndexes"]
    }
    assert found == {
        "GSI1": ("KEYS_ONLY", set()),
        "GSI2": ("INCLUDE", {"entity_type", "status", "amount"}),
        "GSI3": ("INCLUDE", {"entity_type", "name", "member_count", "amount"}),
    }


def test_what_ends_by_itself() -> None:
    ending = {name for name, known in m.model.entities.items() if known.ttl is not None}
    assert ending == {"Invited", "GatewayEvent", "Scan", "Draft", "MailDay", "Job"}
    days = {
        type(item).__name__: (item.ttl - item.created_at).days
        for item in demo().items
        if isinstance(item, m.Invited | m.GatewayEvent | m.Scan | m.Draft)
    }
    assert days == {"Invited": 14, "GatewayEvent": 90, "Scan": 7, "Draft": 30}


def test_all_items_say_what_they_are_and_when_they_were_made() -> None:
    for item in demo().items:
        stored = definition(item).encode(item)
        assert "entity_type" in stored
        assert len(stored["created_at"]["S"]) == len("2026-11-15T06:30:00Z")


# --- fields --------------------------------------------------------------------------------------

PERSONAL = {
    ("Participant", "first_name"),
    ("Participant", "last_name"),
    ("Participant", "email"),
    ("Participant", "phone"),
    ("Participant", "github_username"),
    ("Participant", "linkedin"),
    ("Answer", "value"),
    ("Invited", "email"),
    ("Draft", "data"),
    ("Certificate", "name"),
    ("RoleHolder", "who"),
}


def test_personal_data_is_marked() -> None:
    marked = {
        (name, field.name)
        for name, known in m.model.entities.items()
        for field in known.fields.values()
        if Personal() in field.metadata
    }
    assert marked == PERSONAL


def test_no_personal_data_stands_in_a_key() -> None:
    for name, known in m.model.entities.items():
        for key in known.keys.values():
            assert not {(name, field) for field in key.fields} & PERSONAL


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (m.Participant, {"first_name": "Asha"}),
        (m.Participant, {"email_hash": "ravi.iyer.1@example.com"}),
        (m.Participant, {"college": "x" * 121}),
        (m.Participant, {"year": "x" * 21}),
        (m.Participant, {"registration_type": "guest"}),
        (m.Participant, {"event_id": "Not A Slug"}),
        (m.Invited, {"email": "friend@example.com"}),
        (m.Team, {"name": "x"}),
        (m.Team, {"name": "a#b"}),
        (m.Team, {"name": "x" * 51}),
        (m.Team, {"payment_status": "done"}),
        (m.Team, {"amount": -1}),
        (m.Payment, {"status": "captured"}),
        (m.Payment, {"currency": "rupees"}),
        (m.Config, {"min_team_size": 5}),
        (m.Config, {"registration_end": d.OPENED.replace(year=2025)}),
        (m.Question, {"number": 41}),
        (m.Question, {"kind": "essay"}),
        (m.Certificate, {"code": "short"}),
        (m.Voucher, {"fixed": 100}),
        (m.Voucher, {"percent": 101}),
    ],
)
def test_what_a_field_does_not_take(kind: type[Entity], change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        kind.model_validate({**of(kind).model_dump(), **change})


def test_defaults_of_an_event() -> None:
    config = of(m.Config)
    assert isinstance(config, m.Config)
    assert (config.team_fee, config.currency) == (99900, "INR")
    assert (config.min_team_size, config.max_team_size) == (2, 4)
    assert (config.hold_minutes, config.grace_minutes, config.offer_hours) == (20, 5, 24)
    assert (config.max_waitlist, config.retention_days) == (200, 365)
    assert config.tracks == [
        "ai-ml",
        "web-mobile",
        "blockchain",
        "iot-hardware",
        "social-impact",
        "open-innovation",
    ]


def test_names_and_slugs() -> None:
    assert folded("Code WARRIORS") == folded("code warriors")
    assert slug_of("  Éxample  University (Delhi) ") == "example-university-delhi"
    assert slug_of("大学") is None


# --- patterns ------------------------------------------------------------------------------------

#: The rows of the design's table of access patterns, and the patterns that answer them.
ROWS: dict[str, set[str]] = {
    "1a": {"email_lock"},
    "1b": {"register"},
    "1c": {"me", "participant_of_user", "role", "draft", "events"},
    "1d": {"registrations_of_email", "participants"},
    "2a": {"team_page", "participants"},
    "2b": {"payments_of_team"},
    "3a": {"capture_payment", "captured", "payment_lock", "payment_locks", "gateway_event"},
    "3b": {"order_link"},
    "4a": {"teams_by_status", "teams_listed"},
    "4b": {"people_of_college", "participants"},
    "4c": {"payments_by_status", "payments_listed"},
    "4d": {"statistics", "track_statistics"},
    "4e": {"people", "participants", "teams_listed", "answers_listed"},
    "5a": {"due_holds", "due_refunds", "queue_head", "queue", "ahead_in_queue"},
    "5b": {
        "erasures",
        "answer_to",
        "setup",
        "config",
        "seats",
        "payment",
        "payment_page",
        "participant",
        "participant_page",
        "team",
        "invite",
        "team_name",
        "repository",
        "submission",
        "submissions",
        "people_with_phone",
        "voucher",
        "vouchers",
        "voucher_codes",
        "voucher_use",
        "role_holder",
        "role_holders",
        "certificate",
        "certificates",
        "check_in_of",
        "check_ins_of",
        "scan_result",
        "findings",
    },
    "6": {
        "every_participant",
        "every_answer",
        "every_invited",
        "every_draft",
        "every_certificate",
        "every_role_holder",
        "every_team",
        "every_payment",
        "every_member",
        "every_submission",
        "every_hold",
        "every_wait",
        "every_email_lock",
        "every_user_link",
        "every_people_link",
        "every_team_name",
        "every_invite",
        "every_repository",
        "every_order_link",
        "people_of_team",
    },
    "T0": {"register"},
    "T1": {"found_team"},
    "T2": {"join_team"},
    "T2b": {"leave_team"},
    "T2c": {"hand_over"},
    "T3": {"checkout", "checkout_offered", "checkout_free"},
    "T3b": {"attach_order"},
    "T4": {"capture_payment"},
    "T4b": {"capture_late"},
    "T5": {"expire_hold"},
    "T6": {"offer_seat"},
    "T6b": {"enter_queue"},
    "T6c": {"leave_queue"},
    "T7": {"request_refund"},
    "T8": {"change_config"},
    "T9": {"rename_team", "set_repository"},
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


def test_every_pattern_says_who_uses_it() -> None:
    assert [name for name, each in m.model.patterns.items() if not each.component] == []
    assert [name for name, each in m.model.patterns.items() if not each.doc] == []


def test_whole_tables_are_read_for_upkeep_only() -> None:
    scans = {name for name, each in m.model.patterns.items() if each.kind == "scan"}
    assert scans == ROWS["6"] - {"people_of_team"}


def test_reads_of_the_table_are_consistent() -> None:
    for name, pattern in m.model.patterns.items():
        if pattern.kind in ("get", "query", "find", "collect", "count") and pattern.index is None:
            assert pattern.consistent, name


def test_statistics_are_read_by_the_range_of_the_design() -> None:
    ((_, body),) = requests_of(demo().calls["statistics"])
    values = sorted(each["S"] for each in body["ExpressionAttributeValues"].values())
    assert values == ["DAILY#2026-11-01", "DAILY#2026-11-15$", f"{E}#STATS"]


#: What each transaction writes, as the design lists it. Kit rows such as the outbox come on top.
MEMBERS: dict[str, set[tuple[str, str]]] = {
    "register": {
        ("put", "Participant"),
        ("put", "EmailLock"),
        ("put", "UidLink"),
        ("put", "PhoneLink"),
        ("put", "PeopleLink"),
        ("put", "Answer"),
        ("update", "Statistics"),
    },
    "found_team": {
        ("put", "Team"),
        ("put", "TeamNameLock"),
        ("put", "InviteLock"),
        ("put", "Member"),
        ("update", "Participant"),
        ("update", "Statistics"),
    },
    "join_team": {
        ("update", "Team"),
        ("put", "Member"),
        ("update", "Participant"),
        ("update", "Statistics"),
    },
    "leave_team": {("update", "Team"), ("delete", "Member"), ("update", "Participant")},
    "hand_over": {("update", "Team"), ("check", "Member")},
    "checkout": {
        ("update", "Seats"),
        ("update", "Team"),
        ("put", "Payment"),
        ("put", "Hold"),
        ("update", "Voucher"),
        ("put", "VoucherUse"),
        ("update", "Statistics"),
    },
    "attach_order": {("update", "Payment"), ("put", "OrderLink")},
    "capture_payment": {
        ("put", "GatewayEvent"),
        ("put", "PaymentLock"),
        ("update", "Payment"),
        ("update", "Team"),
        ("delete", "Hold"),
        ("update", "Statistics"),
        ("update", "TrackStatistics"),
    },
    "capture_late": {
        ("put", "GatewayEvent"),
        ("put", "PaymentLock"),
        ("update", "Payment"),
        ("update", "Team"),
        ("update", "Seats"),
        ("update", "Statistics"),
        ("update", "TrackStatistics"),
        ("update", "Voucher"),
        ("put", "VoucherUse"),
    },
    "expire_hold": {
        ("update", "Team"),
        ("delete", "Hold"),
        ("update", "Payment"),
        ("update", "Seats"),
        ("update", "Voucher"),
        ("delete", "VoucherUse"),
        ("update", "Statistics"),
    },
    "offer_seat": {("update", "Seats"), ("delete", "Wait"), ("update", "Team"), ("put", "Hold")},
    "enter_queue": {("update", "Seats"), ("put", "Wait"), ("update", "Team")},
    "leave_queue": {("update", "Seats"), ("delete", "Wait"), ("update", "Team")},
    "request_refund": {
        ("update", "Payment"),
        ("put", "Refund"),
        ("put", "RefundDue"),
        ("update", "Team"),
        ("update", "Seats"),
        ("update", "Statistics"),
    },
    "change_config": {("put", "Config"), ("update", "Seats"), ("update", "Event")},
    "rename_team": {("update", "Team"), ("put", "TeamNameLock"), ("delete", "TeamNameLock")},
    "set_repository": {
        ("put", "Submission"),
        ("update", "Team"),
        ("put", "RepositoryLock"),
        ("delete", "RepositoryLock"),
    },
}


@pytest.mark.parametrize("name", MEMBERS)
def test_a_transaction_has_the_members_of_the_design(name: str) -> None:
    pattern = m.model.patterns[name]
    assert pattern.kind == "transaction"
    members = {
        (each.kind, each.entity.cls.__name__) for each in pattern.members if each.entity is not None
    }
    assert members == MEMBERS[name]
