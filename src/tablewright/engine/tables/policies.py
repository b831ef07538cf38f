"""Resource policies: kept and given back with their revision, and enforced by nobody.

Tables and streams have them; each is kept with its owner, and goes with it. The engine has no
callers to tell apart; whoever deploys a policy together with a table can do so here as well, and
finds it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from tablewright.engine.errors import AwsError, invalid
from tablewright.engine.handler import Request, Response
from tablewright.engine.schema import Body, Table
from tablewright.engine.storage.transaction import Transaction, Work
from tablewright.engine.streams import recording as streams
from tablewright.engine.streams.listing import Stream
from tablewright.engine.tables.resources import policy_owner

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


MAX_BYTES = 20_480
#: What a caller expects who knows of no policy.
NO_POLICY = "NO_POLICY"


def check_policy(text: str) -> Any:
    """The document in ``text``, or the error it deserves."""
    if len(text.encode()) > MAX_BYTES:
        raise invalid(f"Maximum policy size of {MAX_BYTES} bytes exceeded")
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError:
        document = None
    if not isinstance(document, dict):
        raise invalid("Invalid policy document: This policy contains invalid Json")
    if not document:
        raise invalid("Invalid policy document: Syntax error at position (1,3)")
    statements = document.get("Statement")
    if not statements:
        raise invalid("Invalid policy document: Could not parse the policy: Statement is empty!")
    for statement in statements if isinstance(statements, list) else [statements]:
        for name in ("Effect", "Resource"):
            if not isinstance(statement, dict) or not statement.get(name):
                raise invalid(f"Invalid policy document: Missing required field {name}")
    return document


def new_policy(text: str, now: float) -> Body:
    """A policy as it is kept; its revision is the moment it was put, in milliseconds."""
    return {"Policy": text, "RevisionId": str(int(now * 1000))}


def put_resource_policy(engine: Engine, request: Request, shape: object) -> Work:
    owner = policy_owner(engine, request["ResourceArn"])
    text: str = request["Policy"]
    document = check_policy(text)
    expected = request.get("ExpectedRevisionId")

    def work(transaction: Transaction) -> Response:
        body = _current(engine, transaction, owner)
        kept = body.get("policy")
        _check_revision(owner, kept, expected)
        if kept is not None and orjson.loads(kept["Policy"]) == document:
            return {"RevisionId": kept["RevisionId"]}
        policy = new_policy(text, transaction.now)
        if kept is not None and kept["RevisionId"] >= policy["RevisionId"]:
            policy["RevisionId"] = str(int(kept["RevisionId"]) + 1)
        _save(engine, transaction, owner, {**body, "policy": policy})
        return {"RevisionId": policy["RevisionId"]}

    return work


def get_resource_policy(engine: Engine, request: Request, shape: object) -> Response:
    owner = policy_owner(engine, request["ResourceArn"])
    kept: Body | None = owner.body.get("policy")
    if kept is None:
        raise _no_policy(owner.arn)
    return dict(kept)


def delete_resource_policy(engine: Engine, request: Request, shape: object) -> Work:
    owner = policy_owner(engine, request["ResourceArn"])
    expected = request.get("ExpectedRevisionId")

    def work(transaction: Transaction) -> Response:
        body = _current(engine, transaction, owner)
        kept = body.get("policy")
        _check_revision(owner, kept, expected)
        if kept is None:
            return {}
        without = {name: value for name, value in body.items() if name != "policy"}
        _save(engine, transaction, owner, without)
        return {"RevisionId": kept["RevisionId"]}

    return work


def _current(engine: Engine, transaction: Transaction, owner: Table | Stream) -> Body:
    """What is kept of the owner now that it is this request's turn."""
    if isinstance(owner, Table):
        engine.catalog.check_current(owner)
        return owner.body
    return streams.stored(transaction, owner.number)


def _save(engine: Engine, transaction: Transaction, owner: Table | Stream, body: Body) -> None:
    if isinstance(owner, Table):
        engine.catalog.save(transaction, body)
    else:
        streams.save(transaction, owner.number, body)


def _check_revision(owner: Table | Stream, kept: Body | None, expected: str | None) -> None:
    if expected is None or expected == (NO_POLICY if kept is None else kept["RevisionId"]):
        return
    if kept is None:
        raise _no_policy(owner.arn)
    called = f"table {owner.name}" if isinstance(owner, Table) else f"stream {owner.arn}"
    if expected == NO_POLICY:
        raise _no_policy(
            f"Requested policy update expecting none to be present for {called}, "
            f"but a policy exists with revision id {kept['RevisionId']}."
        )
    raise _no_policy(
        f"Requested update for policy with revision id {expected}, but the policy associated to "
        f"target {called} has revision id {kept['RevisionId']}."
    )


def _no_policy(detail: str) -> AwsError:
    return AwsError(
        "PolicyNotFoundException",
        f"Resource-based policy not found for the provided ResourceArn: {detail}",
    )


OPERATIONS = {
    "PutResourcePolicy": (put_resource_policy, True),
    "GetResourcePolicy": (get_resource_policy, False),
    "DeleteResourcePolicy": (delete_resource_policy, True),
}
