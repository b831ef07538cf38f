"""Complaints of customers, and what agents wrote about them.

Source: github.com/aws-samples/aws-dynamodb-examples, schema_design/SchemaExamples/
ComplainManagement (README.md and ComplaintManagementSchema.json, at f215ac6).
"""

from __future__ import annotations

from tests.review.seeds.parts import texts

from tablewright.review.design import (
    Attribute,
    Begins,
    Design,
    Entity,
    Index,
    Key,
    KeyTerm,
    Pattern,
    Sample,
    Table,
)


def design() -> Design:
    # The source lists reads only, and leaves the writes to its reader.
    return Design.of(
        "complaint management",
        TABLE,
        COMPLAINT,
        COMMUNICATION,
        *READS,
        *SAMPLES,
        writes_declared=False,
    )


_TABLE = "Complaint_management_system"
_BY_CUSTOMER = "Customer_Complaint_GSI"
_ESCALATED = "Escalations_GSI"
_BY_AGENT = "Agents_Comments_GSI"

TABLE = Table(
    _TABLE,
    pk="PK",
    sk="SK",
    indexes=(
        Index(_BY_CUSTOMER, pk="customer_id", sk="complaint_id"),
        Index(_ESCALATED, pk="escalated_to", sk="escalation_time"),
        Index(_BY_AGENT, pk="agentID", sk="comm_date"),
    ),
    billing="provisioned",
    read_units=5,
    write_units=5,
    max_read_units=10,
    max_write_units=10,
)

# --- entities ------------------------------------------------------------------------------------

_STATES = ("waiting", "assigned", "investigating", "resolved")
#: The README ends a time with Z, the items of the schema do not.
_COMM_DATES = ("2023-05-01T14:30:00Z", "2023-04-30T12:00:24", "2023-05-10T16:00:00")
_ESCALATIONS = ("2023-05-02T09:15:00Z", "2023-01-03T04:00:07", "2023-05-15T14:00:00")

COMPLAINT = Entity(
    "Complaint",
    _TABLE,
    keys=(
        Key("{complaint_id}", "metadata"),
        Key("{customer_id}", "{complaint_id}", on=_BY_CUSTOMER),
        Key("{escalated_to}", "{escalation_time}", on=_ESCALATED),
    ),
    attributes=(
        Attribute("customer_id", examples=("custXYZ", "custABC")),
        Attribute("complaint_id", examples=("Complaint123", "Complaint0987")),
        Attribute("current_state", values=_STATES, mutable=True),
        Attribute("creation_time", format="iso"),
        Attribute("severity", values=("P1", "P2", "P3")),
        Attribute("complaint_description"),
        Attribute("escalated_to", required=False, mutable=True),
        Attribute(
            "escalation_time", required=False, mutable=True, format="iso", examples=_ESCALATIONS
        ),
    ),
)

COMMUNICATION = Entity(
    "Communication",
    _TABLE,
    keys=(
        Key("{complaint_id}", "comm#{comm_date}#{comm_id}"),
        Key("{agentID}", "{comm_date}", on=_BY_AGENT),
    ),
    attributes=(
        *texts("comm_id", examples=("comm1", "comm456")),
        Attribute("comm_date", format="iso", examples=_COMM_DATES),
        Attribute("complaint_state", values=_STATES),
        Attribute("comm_text"),
        # "Set of S3 URLs"; not every item has it.
        Attribute("attachments", "SS", required=False),
        # One of the five communications has none.
        Attribute("agentID", required=False, examples=("AgentA",)),
    ),
)

# --- patterns ------------------------------------------------------------------------------------

_COMMS: dict[str, KeyTerm] = {"PK": "{complaint_id}", "SK": Begins("comm#")}

READS = (
    Pattern(
        "Get complaint metadata", "get", "Complaint", key={"PK": "{complaint_id}", "SK": "metadata"}
    ),
    # The source's code sends one query and takes what comes for everything. It says of the key
    # that it sorts communications by their time.
    Pattern(
        "Get all communications for a complaint",
        "query",
        "Communication",
        key=_COMMS,
        key_condition="PK = :pk AND begins_with(SK, :sk)",
        values={":pk": {"S": "Complaint123"}, ":sk": {"S": "comm#"}},
        order="comm_date",
        paged=False,
    ),
    Pattern(
        "Get all complaints for a customer",
        "query",
        "Complaint",
        index=_BY_CUSTOMER,
        key={"customer_id": "{customer_id}"},
        key_condition="customer_id = :custId",
        values={":custId": {"S": "custXYZ"}},
        paged=False,
    ),
    Pattern(
        "Find complaints escalated to an agent",
        "query",
        "Complaint",
        index=_ESCALATED,
        key={"escalated_to": "{escalated_to}"},
        key_condition="escalated_to = :agentId",
        values={":agentId": {"S": "AgentB"}},
        paged=False,
    ),
    Pattern(
        "View agent's communication history",
        "query",
        "Communication",
        index=_BY_AGENT,
        key={"agentID": "{agentID}"},
    ),
    # "Filter on severity and current_state".
    Pattern(
        "Find complaints by severity and state",
        "scan",
        "Complaint",
        filter="severity = :severity AND current_state = :state",
        values={":severity": "S", ":state": "S"},
    ),
    # "Filter on complaint_state changes": no expression can compare an item with the one before.
    Pattern("Track complaint state changes", "query", "Communication", key=_COMMS),
)

# --- samples -------------------------------------------------------------------------------------


def _comm(complaint: str, number: int, at: str, state: str, **rest: object) -> Sample:
    item = {
        "PK": {"S": complaint},
        "SK": {"S": f"comm#{at}#comm{number}"},
        "comm_id": {"S": f"comm{number}"},
        "comm_date": {"S": at},
        "complaint_state": {"S": state},
        "comm_text": {"S": "<comm text>"},
        **rest,
    }
    return Sample("Communication", item)


def _complaint(complaint: str, customer: str, state: str, at: str, **rest: str) -> Sample:
    item = {
        "PK": complaint,
        "SK": "metadata",
        "customer_id": customer,
        "complaint_id": complaint,
        "current_state": state,
        "creation_time": at,
        "complaint_description": "<description text>",
        **rest,
    }
    return Sample("Complaint", {name: {"S": value} for name, value in item.items()})


def _agent(letter: str) -> dict[str, str]:
    return {"S": f"Agent{letter}"}


_URLS = ["s3://URL_for_attachment1", "s3://URL_for_attachment2"]

SAMPLES = (
    _comm("Complaint123", 1, "2023-04-30T12:00:24", "investigating", agentID=_agent("A")),
    _comm(
        "Complaint123",
        2,
        "2023-04-30T12:35:54",
        "resolved",
        agentID=_agent("A"),
        attachments={"SS": _URLS},
    ),
    _comm("Complaint1321", 3, "2023-05-10T16:00:00", "investigating", agentID=_agent("B")),
    _comm("Complaint1444", 4, "2022-12-31T19:32:00", "waiting"),
    _comm(
        "Complaint1444",
        5,
        "2022-12-31T19:40:00",
        "assigned",
        agentID=_agent("C"),
        attachments={"SS": _URLS[:1]},
    ),
    _complaint("Complaint123", "custABC", "resolved", "2023-04-30T12:00:00", severity="P2"),
    _complaint(
        "Complaint1444",
        "custXY32",
        "assigned",
        "2022-12-31T19:39:57",
        severity="P1",
        escalated_to="AgentB",
        escalation_time="2023-01-03T04:00:07",
    ),
    _complaint(
        "Complaint1321",
        "custXYZ",
        "investigating",
        "2023-05-10T15:58:00",
        severity="P2",
        escalated_to="AgentB",
        escalation_time="2023-05-15T14:00:00",
    ),
    _complaint("Complaint0987", "custXYZ", "assigned", "2023-06-10T12:30:08", severity="P3"),
)
