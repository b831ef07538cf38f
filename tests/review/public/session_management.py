"""Sessions of customers, and the sessions that these opened.

Source: github.com/aws-samples/aws-dynamodb-examples, schema_design/SchemaExamples/
SessionManagement (README.md and SessionManagementSchema.json, at f215ac6).
"""

from __future__ import annotations

from tablewright.review.design import (
    Attribute,
    Begins,
    Design,
    Entity,
    Index,
    Key,
    Pattern,
    Sample,
    Table,
)


def design() -> Design:
    return Design.of("session management", TABLE, SESSION, CHILD_SESSION, *WRITES, *READS, *SAMPLES)


_INVERSE = "GSI1_inverse"

TABLE = Table(
    "session_store",
    pk="PK",
    sk="SK",
    indexes=(Index(_INVERSE, pk="SK", sk="PK", projection="ALL"),),
    billing="provisioned",
    read_units=5,
    write_units=5,
    max_read_units=10,
    max_write_units=10,
)

# --- entities ------------------------------------------------------------------------------------
# The schema also lists customer_id, parent_access_token and parent_session_state; no item has them.

# The items show tokens as they are.
_TOKEN = Attribute("access_token", secret="clear", examples=("lko98uib",))
# The source does not list the states; its items have these two.
_STATE = Attribute("session_state", mutable=True, examples=("active", "closing"))

SESSION = Entity(
    "Session",
    "session_store",
    keys=(
        Key("suuid#{session_id}", "c#{customer_id}"),
        Key("c#{customer_id}", "suuid#{session_id}", on=_INVERSE),
    ),
    attributes=(Attribute("last_login_time", format="iso"), _TOKEN, _STATE),
)

CHILD_SESSION = Entity(
    "ChildSession",
    "session_store",
    keys=(
        Key("suuid#{session_id}", "child#suuid#{child_session_id}"),
        Key("child#suuid#{child_session_id}", "suuid#{session_id}", on=_INVERSE),
    ),
    attributes=(_TOKEN, _STATE),
)

# --- patterns ------------------------------------------------------------------------------------
# The source writes <session_id> and <customer_id> for whole keys, prefixes included.

_ONE = {"PK": "suuid#{session_id}", "SK": "c#{customer_id}"}

WRITES = (
    Pattern("createSession", "put", "Session", key=_ONE, new=True),
    Pattern("expireSession", "delete", "Session", key=_ONE),
)

READS = (
    Pattern("getSessionBySessionId", "get", "Session", key=_ONE),
    Pattern(
        "getChildSessionsBySessionId",
        "query",
        "ChildSession",
        key={"PK": "suuid#{session_id}", "SK": Begins("child#")},
    ),
    # The source gives the index's partition key twice: as a value, and by begins_with.
    Pattern(
        "getSessionByChildSessionId",
        "query",
        "ChildSession",
        index=_INVERSE,
        key={"SK": "child#suuid#{child_session_id}"},
    ),
    # "Limit 1": the last login is wanted, and the first item is taken for it.
    Pattern(
        "getLastLoginTimeByCustomerId",
        "query",
        "Session",
        index=_INVERSE,
        key={"SK": "c#{customer_id}"},
        limit=1,
        order="last_login_time",
    ),
    Pattern(
        "getSessionIdByCustomerId",
        "query",
        "Session",
        index=_INVERSE,
        key={"SK": "c#{customer_id}", "PK": "suuid#{session_id}"},
    ),
    Pattern(
        "getSessionsByCustomerId",
        "query",
        "Session",
        index=_INVERSE,
        key={"SK": "c#{customer_id}"},
    ),
)

# --- samples -------------------------------------------------------------------------------------


def _session(session: str, customer: str, login: str, token: str, state: str) -> Sample:
    item = {
        "PK": f"suuid#{session}",
        "SK": f"c#{customer}",
        "last_login_time": login,
        "access_token": token,
        "session_state": state,
    }
    return Sample("Session", item)


def _child(session: str, child: str, token: str, state: str) -> Sample:
    keys = {"PK": f"suuid#{session}", "SK": f"child#suuid#{child}"}
    return Sample("ChildSession", {**keys, "access_token": token, "session_state": state})


SAMPLES = (
    _child("c342etj3", "ert54fbgn", "lko98uib", "active"),
    _child("c342etj3", "kljhfytf23", "acg45jhi", "closing"),
    _session("c342etj3", "ABC", "2023-05-12T11:30:00", "d234ltj2", "active"),
    _session("d0004tj2", "ABC", "2023-05-12T11:30:00", "q010ltj2", "closing"),
    _session("l221et00", "XYZ", "2023-04-30T15:22:09", "q213law5", "active"),
    _child("l221et00", "ljy22tf0", "j143lawy", "active"),
)
