"""CodeKurukshetra: registration, teams and payments of a hackathon, in one table."""

from __future__ import annotations

from tests.review.seeds.parts import booleans, numbers, texts

from tablewright.review.design import (
    Alarm,
    Attribute,
    Definition,
    Design,
    Entity,
    Figure,
    Index,
    Key,
    Limit,
    Pattern,
    Sample,
    Table,
    Unique,
)


def design() -> Design:
    return Design.of(
        "kurukshetra",
        TABLE,
        DEFINITION,
        *ENTITIES,
        *PARTICIPANT_PATTERNS,
        *TEAM_PATTERNS,
        *ADMIN_PATTERNS,
        *WISHES,
        *LIMITS,
        *SAMPLES,
        Figure("pitr.days", 35),
        ALARM,
    )


TABLE = Table(
    "codekurukshetra_main",
    pk="PK",
    sk="SK",
    indexes=(
        Index("GSI1", pk="GSI1PK", sk="GSI1SK", projection="ALL"),
        Index("GSI2", pk="GSI2PK", sk="GSI2SK", projection="ALL"),
        Index("GSI3", pk="GSI3PK", sk="GSI3SK", projection="ALL"),
    ),
    pitr=35,
    discriminator="entity_type",
)

#: create_table('codekurukshetra_main'); create_gsi('GSI1', 'GSI1PK', 'GSI1SK') and so on.
DEFINITION = Definition(
    "codekurukshetra_main",
    "Initial Setup Script",
    {
        "TableName": "codekurukshetra_main",
        "GlobalSecondaryIndexes": [
            {
                "IndexName": name,
                "KeySchema": [
                    {"AttributeName": f"{name}PK", "KeyType": "HASH"},
                    {"AttributeName": f"{name}SK", "KeyType": "RANGE"},
                ],
            }
            for name in ("GSI1", "GSI2", "GSI3")
        ],
    },
)

# --- entities ------------------------------------------------------------------------------------

_STAMPS = texts("created_at", "updated_at", format="iso_seconds")
_PAYMENT_STATUS = ("pending", "paid")

PARTICIPANT = Entity(
    "Participant",
    "codekurukshetra_main",
    keys=(
        Key("PARTICIPANT#{participant_id}", "PROFILE"),
        Key("EMAIL#{email}", None, on="GSI1"),
        Key("TEAM#{team_id}", None, on="GSI2"),
        Key("COLLEGE#{college}", None, on="GSI3"),
    ),
    attributes=(
        *texts("entity_type"),
        *texts("participant_id", format="uuid"),
        *texts("first_name", "last_name", personal=True),
        *texts("email", format="email", personal=True),
        *texts("phone", format="phone", personal=True),
        *texts("college"),
        *texts("year"),
        *texts("github_username", "linkedin", personal=True),
        *booleans("student_status"),
        *texts("registration_type"),
        Attribute("team_id", required=False, format="uuid", refers="Team.team_id"),
        Attribute("payment_status", values=_PAYMENT_STATUS, copy_of="Team.payment_status"),
        Attribute("is_leader", "BOOL", copy_of="Team.leader_participant_id"),
        *texts("firebase_uid"),
        *_STAMPS,
        Attribute("ttl", "N", required=False, format="epoch_seconds"),
    ),
    # "Duplicate email validation", "Email unique".
    unique=(Unique("email"),),
    # "Optimistic locking with version numbers."
    versioned=True,
    ttl="ttl",
    # "Auto-delete after event": not before it was created.
    relations=("ttl > seconds(created_at)",),
)

TEAM = Entity(
    "Team",
    "codekurukshetra_main",
    keys=(
        Key("TEAM#{team_id}", "PROFILE"),
        Key("PAYMENT_STATUS#{payment_status}", None, on="GSI1"),
        Key("TRACK#{track}", None, on="GSI2"),
        Key("LEADER#{leader_participant_id}", None, on="GSI3"),
    ),
    attributes=(
        *texts("entity_type"),
        *texts("team_id", format="uuid"),
        *texts("name"),
        Attribute(
            "track",
            values=(
                "ai-ml",
                "web-mobile",
                "blockchain",
                "iot-hardware",
                "social-impact",
                "open-innovation",
            ),
        ),
        Attribute("leader_participant_id", format="uuid", refers="Participant.participant_id"),
        Attribute("payment_status", values=_PAYMENT_STATUS, mutable=True),
        *texts("payment_order_id"),
        Attribute("payment_id", refers="Payment.payment_id"),
        *numbers("amount"),
        *texts("currency"),
        Attribute("member_count", "N", counts="Participant"),
        *numbers("max_members"),
        *booleans("registration_complete"),
        *_STAMPS,
    ),
    versioned=True,
)

PAYMENT = Entity(
    "Payment",
    "codekurukshetra_main",
    keys=(
        Key("PAYMENT#{payment_id}", "TRANSACTION"),
        Key("TEAM#{team_id}", None, on="GSI1"),
        Key("STATUS#{status}", None, on="GSI2"),
        Key("DATE#{date}", None, on="GSI3"),
    ),
    attributes=(
        *texts("entity_type"),
        *texts("payment_id", format="uuid"),
        *texts("razorpay_order_id", "razorpay_payment_id"),
        Attribute("team_id", format="uuid", refers="Team.team_id"),
        *numbers("amount"),
        *texts("currency"),
        Attribute("status", values=_PAYMENT_STATUS),
        *texts("payment_method"),
        *texts("razorpay_signature"),
        *booleans("webhook_verified"),
        # User agent, IP address and time of the payment.
        Attribute("metadata", "M", personal=True),
        Attribute("date", required=False, format="date"),
        *_STAMPS,
    ),
    # "Audit trail maintenance."
    append_only=True,
    versioned=True,
)

CONFIG = Entity(
    "Config",
    "codekurukshetra_main",
    keys=(Key("CONFIG", "HACKATHON"),),
    attributes=(
        *texts("entity_type", "event_name"),
        *booleans("registration_open"),
        *texts(
            "registration_start",
            "registration_end",
            "event_start",
            "event_end",
            format="iso_seconds",
        ),
        *numbers("team_fee", "max_team_size", "min_team_size", "max_teams"),
        Attribute("tracks", "L"),
        *texts("updated_at", format="iso_seconds"),
    ),
    identity=("event_name",),
)

#: "Daily statistics": a key and nothing else.
STATISTICS = Entity(
    "Statistics",
    "codekurukshetra_main",
    keys=(Key("STATS", "DAILY#{date}"),),
    attributes=texts("date", format="date"),
)

ENTITIES = (PARTICIPANT, TEAM, PAYMENT, CONFIG, STATISTICS)

# --- patterns ------------------------------------------------------------------------------------

PARTICIPANT_PATTERNS = (
    Pattern(
        "check_email",
        "query",
        "Participant",
        index="GSI1",
        key={"GSI1PK": "EMAIL#{email}"},
        key_condition="GSI1PK = :email",
        values={":email": {"S": "EMAIL#user@example.com"}},
        # "Check if email already registered": it decides whether the put may be made.
        fresh=True,
        reads=("participant_id",),
        component="api",
    ),
    Pattern(
        "create_participant",
        "put",
        "Participant",
        key={"PK": "PARTICIPANT#{participant_id}", "SK": "PROFILE"},
        new=True,
        unique=("email",),
        checked_by="check_email",
        component="api",
    ),
)

TEAM_PATTERNS = (
    Pattern(
        "get_team",
        "get",
        "Team",
        key={"PK": "TEAM#{team_id}", "SK": "PROFILE"},
        component="api",
    ),
    Pattern(
        "team_members",
        "query",
        "Participant",
        index="GSI2",
        key={"GSI2PK": "TEAM#{team_id}"},
        key_condition="GSI2PK = :team",
        values={":team": "S"},
        # "Team management operations" rest on it.
        fresh=True,
        paged=False,
        component="api",
    ),
    Pattern(
        "mark_paid",
        "transaction",
        members=(
            Pattern(
                "",
                "update",
                "Team",
                key={"PK": "TEAM#{team_id}", "SK": "PROFILE"},
                update="SET payment_status = :status",
                values={":status": {"S": "paid"}},
                existing=True,
            ),
            Pattern(
                "",
                "put",
                "Payment",
                key={"PK": "PAYMENT#{payment_id}", "SK": "TRANSACTION"},
                new=True,
            ),
        ),
        # Gateways send their messages again.
        idempotent=True,
        component="api",
    ),
    Pattern(
        "register_team",
        "transaction",
        members=(
            Pattern("", "put", "Team", new=True, condition="attribute_not_exists(PK)"),
            # for member in members_data: transaction.put(Item=member_item, ...)  # Email unique
            Pattern(
                "",
                "put",
                "Participant",
                new=True,
                condition="attribute_not_exists(GSI1PK)",
                unique=("email",),
                many=4,
                varies=(),
            ),
            Pattern("", "put", "Payment"),
        ),
        component="api",
    ),
)

ADMIN_PATTERNS = (
    Pattern(
        "paid_teams",
        "query",
        "Team",
        index="GSI3",
        key={"GSI3PK": "PAYMENT_STATUS#paid"},
        key_condition="GSI3PK = :status",
        values={":status": {"S": "PAYMENT_STATUS#paid"}},
        paged=False,
        component="admin",
    ),
    Pattern(
        "teams_of_track",
        "query",
        "Team",
        index="GSI3",
        key={"GSI3PK": "TRACK#{track}"},
        key_condition="GSI3PK = :track",
        values={":track": {"S": "TRACK#ai-ml"}},
        paged=False,
        component="admin",
    ),
    Pattern(
        "participants_of_college",
        "query",
        "Participant",
        index="GSI3",
        key={"GSI3PK": "COLLEGE#{college}"},
        paged=False,
        component="admin",
    ),
    # "Seed configuration", "Get statistics".
    Pattern("seed_config", "put", "Config", component="setup"),
    Pattern("get_config", "get", "Config", key={"PK": "CONFIG", "SK": "HACKATHON"}),
)

WISHES = (
    # The gateway's messages name an order; a sign-in names a Firebase user.
    Pattern("team_of_order", "get", "Team", by=("payment_order_id",), wish=True),
    Pattern("participant_of_uid", "get", "Participant", by=("firebase_uid",), wish=True),
)

LIMITS = (
    Limit("max_teams", "Team"),
    Limit("min_team_size", "Team"),
    Limit("max_team_size", "Team"),
    Limit("registration window", "Team"),
)

# --- what else it says ---------------------------------------------------------------------------

ALARM = Alarm(
    "throttling",
    {
        "MetricName": "ThrottledRequests",
        "Threshold": 10,
        "ComparisonOperator": "GreaterThanThreshold",
        "AlarmActions": ["arn:aws:sns:region:account:topic"],
    },
)

SAMPLES = (
    Sample(
        "Participant",
        """
{
  "PK": "PARTICIPANT#01234567-89ab-cdef-0123-456789abcdef",
  "SK": "PROFILE",
  "GSI1PK": "EMAIL#john.doe@example.com",
  "GSI2PK": "TEAM#team-uuid",
  "GSI3PK": "COLLEGE#example-university",
  "entity_type": "participant",
  "participant_id": "01234567-89ab-cdef-0123-456789abcdef",
  "first_name": "John",
  "last_name": "Doe",
  "email": "john.doe@example.com",
  "phone": "+91-9876543210",
  "college": "Example University",
  "year": "3rd Year",
  "github_username": "johndoe",
  "linkedin": "https://linkedin.com/in/johndoe",
  "student_status": true,
  "registration_type": "team_member",
  "team_id": "team-uuid-here",
  "payment_status": "paid",
  "is_leader": true,
  "firebase_uid": "firebase-user-uid",
  "created_at": "2025-08-27T10:00:00Z",
  "updated_at": "2025-08-27T10:00:00Z",
  "ttl": 1735689600  // Optional: Auto-delete after event
}
""",
    ),
    Sample(
        "Team",
        """
{
  "PK": "TEAM#team-uuid-here",
  "SK": "PROFILE",
  "GSI1PK": "PAYMENT_STATUS#paid",
  "GSI2PK": "TRACK#ai-ml",
  "GSI3PK": "LEADER#participant-uuid",
  "entity_type": "team",
  "team_id": "team-uuid-here",
  "name": "Code Warriors",
  "track": "ai-ml",
  "leader_participant_id": "01234567-89ab-cdef-0123-456789abcdef",
  "payment_status": "paid",
  "payment_order_id": "order_razorpay_id",
  "payment_id": "pay_razorpay_id",
  "amount": 99900,
  "currency": "INR",
  "member_count": 4,
  "max_members": 4,
  "registration_complete": true,
  "created_at": "2025-08-27T10:00:00Z",
  "updated_at": "2025-08-27T10:00:00Z"
}
""",
    ),
    Sample(
        "Payment",
        """
{
  "PK": "PAYMENT#payment-uuid",
  "SK": "TRANSACTION",
  "GSI1PK": "TEAM#team-uuid",
  "GSI2PK": "STATUS#paid",
  "GSI3PK": "DATE#2025-08-27",
  "entity_type": "payment",
  "payment_id": "payment-uuid",
  "razorpay_order_id": "order_razorpay_id",
  "razorpay_payment_id": "pay_razorpay_id",
  "team_id": "team-uuid-here",
  "amount": 99900,
  "currency": "INR",
  "status": "paid",
  "payment_method": "card",
  "razorpay_signature": "signature_hash",
  "webhook_verified": true,
  "metadata": {
    "user_agent": "Mozilla/5.0...",
    "ip_address": "192.168.1.1",
    "payment_timestamp": "2025-08-27T10:30:00Z"
  },
  "created_at": "2025-08-27T10:00:00Z",
  "updated_at": "2025-08-27T10:30:00Z"
}
""",
    ),
    Sample(
        "Config",
        """
{
  "PK": "CONFIG",
  "SK": "HACKATHON",
  "entity_type": "config",
  "event_name": "CodeKurukshetra",
  "registration_open": true,
  "registration_start": "2025-08-01T00:00:00Z",
  "registration_end": "2025-09-15T23:59:59Z",
  "event_start": "2025-09-20T10:00:00Z",
  "event_end": "2025-09-22T18:00:00Z",
  "team_fee": 99900,
  "max_team_size": 4,
  "min_team_size": 2,
  "max_teams": 500,
  "tracks": [
    "ai-ml",
    "web-mobile",
    "blockchain",
    "iot-hardware",
    "social-impact",
    "open-innovation"
  ],
  "updated_at": "2025-08-27T10:00:00Z"
}
""",
    ),
)
