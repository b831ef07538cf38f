"""What is kept about exports and imports: one row each, found by ARN, listed, taken up again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from tablewright.engine.errors import AwsError, validation
from tablewright.engine.handler import Request
from tablewright.engine.schema import Body
from tablewright.engine.storage.transaction import Transaction

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


#: How long a client token stands for the transfer it began.
TOKEN_SECONDS = 8 * 3600
MAX_LISTED = 25
#: How long a transfer is listed.
LISTED_SECONDS = 90 * 24 * 3600

SCHEMA = """
CREATE TABLE IF NOT EXISTS transfers (arn TEXT PRIMARY KEY, kind TEXT NOT NULL,
 body BLOB NOT NULL) WITHOUT ROWID;
"""


class Kind:
    """Exports or imports: how their fields and errors are called."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.arn = f"{name}Arn"
        self.status = f"{name}Status"

    def new_arn(self, transaction: Transaction, table_arn: str, number: int) -> str:
        kind = self.name.lower()
        return f"{table_arn}/{kind}/{int(transaction.now * 1000):014d}-{number:08x}"

    def save(self, transaction: Transaction, body: Body) -> None:
        transaction.changes += 1
        transaction.execute(
            "REPLACE INTO transfers (arn, kind, body) VALUES (?, ?, ?)",
            (body[self.arn], self.name, orjson.dumps(body)),
        )

    def find(self, engine: Engine, arn: str) -> Body:
        for (blob,) in engine.store.rows(
            "SELECT body FROM transfers WHERE arn=? AND kind=?", (arn, self.name)
        ):
            body: Body = orjson.loads(blob)
            return body
        raise AwsError(f"{self.name}NotFoundException", f"{self.name} not found: {arn}")

    def all(self, engine: Engine) -> list[Body]:
        """Every one, oldest first."""
        rows = engine.store.rows("SELECT body FROM transfers WHERE kind=?", (self.name,))
        bodies: list[Body] = [orjson.loads(blob) for (blob,) in rows]
        return sorted(bodies, key=lambda body: (body["StartTime"], body[self.arn]))

    def unfinished(self, engine: Engine) -> list[Body]:
        return [body for body in self.all(engine) if body[self.status] == "IN_PROGRESS"]

    def repeated(self, engine: Engine, request: Request) -> Body | None:
        """What an earlier request with the same client token has begun."""
        token = request.get("ClientToken")
        if token is None:
            return None
        for body in self.all(engine):
            age = engine.clock.now() - body["StartTime"]
            if body.get("ClientToken") == token and age < TOKEN_SECONDS:
                if body["request"] != request:
                    raise AwsError(
                        f"{self.name}ConflictException",
                        f"The client token {token} was used for another request",
                    )
                return body
        return None

    def page(
        self, engine: Engine, request: Request, limit: int
    ) -> tuple[list[Body], dict[str, str]]:
        """One page of a list, and the token that leads to the next."""
        table = request.get("TableArn")
        since = engine.clock.now() - LISTED_SECONDS
        bodies = [
            body
            for body in self.all(engine)
            if table in (None, body["TableArn"]) and body["StartTime"] >= since
        ]
        if self is EXPORTS:
            bodies.sort(key=lambda body: str(body[self.arn]), reverse=True)
        after = request.get("NextToken")
        if after is not None:
            arns = [_token(body[self.arn]) for body in bodies]
            if after not in arns:
                raise validation("Invalid NextToken")
            bodies = bodies[arns.index(after) + 1 :]
        more = {"NextToken": _token(bodies[limit - 1][self.arn])} if len(bodies) > limit else {}
        return bodies[:limit], more


EXPORTS = Kind("Export")
IMPORTS = Kind("Import")


def exporting(engine: Engine, number: int) -> bool:
    """True while an export of that table is under way."""
    return any(body["table"]["number"] == number for body in EXPORTS.unfinished(engine))


def _token(arn: str) -> str:
    # The service's tokens are hexadecimal digits, at least 112 of them, in groups of 16.
    raw = arn.encode()
    return raw.ljust(max(56, -(-len(raw) // 8) * 8), b"\0").hex()


def shown(body: Body) -> Request:
    """What callers see of a transfer: names in lower case are for the engine alone."""
    return {name: value for name, value in body.items() if not name[0].islower()}
