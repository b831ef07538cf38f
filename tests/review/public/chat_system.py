"""Rooms and comments of a chat.

Source: github.com/aws-samples/aws-dynamodb-examples, schema_design/SchemaExamples/ChatSystem
(README.md and ChatSystemSchema.json, at f215ac6).
"""

from __future__ import annotations

from tablewright.review.design import (
    Attribute,
    Between,
    Design,
    Entity,
    Index,
    Key,
    Pattern,
    Sample,
    Table,
)


def design() -> Design:
    return Design.of("chat system", TABLE, ROOM, MEMBERSHIP, COMMENT, *WRITES, *READS, *SAMPLES)


_INDEX = "RoomID_Comment_IDX"

TABLE = Table(
    "Chat",
    pk="PK",
    sk="SK",
    indexes=(Index(_INDEX, pk="RoomID", sk="CreatedAt", projection="ALL"),),
    billing="provisioned",
    read_units=5,
    write_units=5,
    max_read_units=10,
    max_write_units=10,
    delimiter=":",
)

# --- entities ------------------------------------------------------------------------------------

_TIME = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z"
_TIMES = ("2023-04-01T12:00:00.001Z", "2023-04-01T14:00:00.001Z")

ROOM = Entity(
    "Room",
    "Chat",
    keys=(Key("Room:{RoomID}", "meta"),),
    # The room's id stands in its key alone: as an attribute it would put the room in the index.
    attributes=(Attribute("CreatedBy", examples=("UserA", "UserF")),),
)

#: "Join:" stands in the list of patterns only; nothing says what the item holds.
MEMBERSHIP = Entity("Membership", "Chat", keys=(Key("User:{UserID}", "Join:{RoomID}"),), open=True)

#: The source calls it the user's item. Its sort key is a time, and so is CreatedAt.
COMMENT = Entity(
    "Comment",
    "Chat",
    keys=(
        Key("User:{UserID}", "{timestamp}", shapes={"timestamp": _TIME}),
        Key("{RoomID}", "{CreatedAt}", on=_INDEX),
    ),
    attributes=(
        Attribute("RoomID", examples=("Music", "Movie", "Art")),
        Attribute("Comment"),
        Attribute("CreatedAt", format="iso_millis", examples=_TIMES),
    ),
    # The key list calls both of them "timestamp".
    relations=("timestamp == CreatedAt",),
)

# --- patterns ------------------------------------------------------------------------------------
# The source writes <RoomID> and <UserID> for whole keys; the prefixes are those of its key list.

_ROOM = {"PK": "Room:{RoomID}", "SK": "meta"}
_JOIN = {"PK": "User:{UserID}", "SK": "Join:{RoomID}"}
_SAID = {"PK": "User:{UserID}", "SK": "{timestamp}"}

WRITES = (
    # "if not exists".
    Pattern(
        "createChatRoom",
        "put",
        "Room",
        key=_ROOM,
        new=True,
        condition="attribute_not_exists(PK)",
    ),
    Pattern(
        "deleteChatRoom",
        "delete",
        "Room",
        key=_ROOM,
        condition="CreatedBy = :user",
        values={":user": "S"},
    ),
    Pattern("joinChatRoom", "put", "Membership", key=_JOIN),
    Pattern("leaveChatRoom", "delete", "Membership", key=_JOIN),
    # A comment is new each time.
    Pattern("addComments", "put", "Comment", key=_SAID, new=True),
)

READS = (
    # "Limit 1", which the source explains by duplicates in indexes.
    Pattern(
        "getAllComments", "query", "Comment", index=_INDEX, key={"RoomID": "{RoomID}"}, limit=1
    ),
    Pattern(
        "getLatestComments",
        "query",
        "Comment",
        index=_INDEX,
        key={"RoomID": "{RoomID}"},
        limit=10,
        descending=True,
    ),
    Pattern(
        "getFromLatestToSpecifiedPositionComments",
        "query",
        "Comment",
        index=_INDEX,
        key={"RoomID": "{RoomID}", "CreatedAt": Between("{FromPosition}")},
    ),
    Pattern(
        "getFromPositionToPositionComments",
        "query",
        "Comment",
        index=_INDEX,
        key={"RoomID": "{RoomID}", "CreatedAt": Between("{FromPosition}", "{ToPosition}")},
    ),
)

# --- samples -------------------------------------------------------------------------------------


def _said(user: str, at: str, room: str, text: str, created: str) -> Sample:
    item = {"PK": f"User:{user}", "SK": at, "RoomID": room, "Comment": text, "CreatedAt": created}
    return Sample("Comment", item)


def _day(time: str) -> str:
    return f"2023-04-01T{time}.001Z"


SAMPLES = (
    _said("UserA", _day("12:00:00"), "Music", "Hello!", _day("12:00:00")),
    _said("UserB", _day("12:00:01"), "Movie", "What's your favorite?", _day("12:00:01")),
    _said("UserC", _day("12:00:05"), "Art", "I love aaa.", _day("12:00:05")),
    _said("UserA", _day("13:00:00"), "Music", "I like a Rock music.", _day("12:00:50")),
    _said("UserA", _day("14:00:00"), "Art", "Me too.", _day("14:00:00")),
    Sample("Room", {"PK": "Room:Music", "SK": "meta", "CreatedBy": "UserA"}),
    Sample("Room", {"PK": "Room:Art", "SK": "meta", "CreatedBy": "UserF"}),
    Sample("Room", {"PK": "Room:Movie", "SK": "meta", "CreatedBy": "UserE"}),
)
