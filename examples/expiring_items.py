"""Items that end: one-time codes that are good for ten minutes.

DynamoDB deletes what has expired, but takes its time: hours, sometimes days. Until then it still
returns it. An entity with a ``Ttl`` is not given out after its end, and its place is free.
"""

from datetime import UTC, datetime, timedelta

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import Delete, Entity, Key, Put, Table, Ttl, attr, delete, get, put, write
from tablewright.model.errors import AlreadyExists, ConditionFailed

codes = Table("Codes", pk="PK", ttl="expires_at")


class Code(Entity, table=codes, keys={"primary": Key("CODE#{phone}")}):
    phone: str
    digits: str
    expires_at: Ttl


@get(Code, consistent=True)
def code_of(phone: str) -> None:
    """The code that was sent to a phone, unless it has expired."""


@write()
def send(code: Code) -> Put[Code]:
    """A new code, unless there is a good one."""
    return put(code).new()


@write()
def redeem(phone: str, digits: str) -> Delete[Code]:
    """Use a code up: it must be there, be right, and still be good."""
    return delete(Code, phone).existing().when(attr(Code.digits) == digits)


def main() -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(codes)
        now = datetime.now(UTC)
        db.run(send(Code(phone="555-1", digits="1234", expires_at=now + timedelta(minutes=10))))
        try:
            db.run(send(Code(phone="555-1", digits="9876", expires_at=now)))
        except AlreadyExists:
            print("a good code is not replaced")
        try:
            db.run(redeem("555-1", "9876"))
        except ConditionFailed:
            print("a wrong code is refused")
        db.run(redeem("555-1", "1234"))
        print("used up:", db.run(code_of("555-1")) is None)

        db.run(send(Code(phone="555-2", digits="1111", expires_at=now - timedelta(minutes=1))))
        print("expired:", db.run(code_of("555-2")) is None)
        db.run(send(Code(phone="555-2", digits="2222", expires_at=now + timedelta(minutes=10))))
        print("its place is free")


if __name__ == "__main__":
    main()
