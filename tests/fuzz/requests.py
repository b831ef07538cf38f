"""Random requests: nearly right ones for every operation, then something done to them."""

from __future__ import annotations

import base64
import json
import random
from collections import deque
from typing import Any, NamedTuple

from tests.fuzz.words import Words

from tablewright.engine.shapes import OPERATIONS, STREAM_OPERATIONS
from tablewright.engine.shapes.model import Shape, input_of

Request = dict[str, Any]


class Keys(NamedTuple):
    """A table, and the attributes and types of its key."""

    table: str
    hash: tuple[str, str]
    range: tuple[str, str] | None = None
    indexes: tuple[tuple[str, str, str | None], ...] = ()


TABLES = [
    Keys("Simple", ("pk", "S")),
    Keys(
        "Composite",
        ("pk", "S"),
        ("sk", "N"),
        (("by-g", "g", "n"), ("keys", "n", None), ("local", "pk", "l")),
    ),
    Keys("Binary", ("pk", "B"), ("sk", "B")),
    Keys("Multi", ("pk", "S"), None, (("several", "t", None),)),
]
NAMES = [keys.table for keys in TABLES]
#: The attributes that indexes are about.
TYPES = {"g": "S", "n": "N", "l": "B", "t": "S", "c": "S", "y": "N", "z": "S"}
#: Members of answers that belong into members of requests.
TOKENS = {
    "LastEvaluatedKey": "ExclusiveStartKey",
    "LastEvaluatedTableName": "ExclusiveStartTableName",
    "LastEvaluatedBackupArn": "ExclusiveStartBackupArn",
    "LastEvaluatedShardId": "ExclusiveStartShardId",
    "LatestStreamArn": "StreamArn",
    "StreamArn": "StreamArn",
    "ShardId": "ShardId",
    "ShardIterator": "ShardIterator",
    "NextShardIterator": "ShardIterator",
    "SequenceNumber": "SequenceNumber",
    "StartingSequenceNumber": "SequenceNumber",
    "BackupArn": "BackupArn",
    "ExportArn": "ExportArn",
    "ImportArn": "ImportArn",
    "TableArn": "ResourceArn",
    "NextToken": "NextToken",
    "RevisionId": "ExpectedRevisionId",
}
#: Tables that requests may make and drop as they like.
SPARE = ["Spare-1", "Spare-2", "Spare-3"]


def definitions() -> list[Request]:
    """CreateTable requests for the tables that the others are about."""

    def attributes(**types: str) -> list[Request]:
        return [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()]

    def schema(*names: str, hashes: int = 1) -> list[Request]:
        return [
            {"AttributeName": name, "KeyType": "HASH" if place < hashes else "RANGE"}
            for place, name in enumerate(names)
        ]

    def index(name: str, *keys: str, kind: str = "ALL", hashes: int = 1) -> Request:
        projection: Request = {"ProjectionType": kind}
        if kind == "INCLUDE":
            projection["NonKeyAttributes"] = ["a", "mp"]
        return {
            "IndexName": name,
            "KeySchema": schema(*keys, hashes=hashes),
            "Projection": projection,
        }

    stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    common = {"BillingMode": "PAY_PER_REQUEST"}
    return [
        {
            "TableName": "Simple",
            "KeySchema": schema("pk"),
            "AttributeDefinitions": attributes(pk="S"),
            "StreamSpecification": stream,
            **common,
        },
        {
            "TableName": "Composite",
            "KeySchema": schema("pk", "sk"),
            "AttributeDefinitions": attributes(pk="S", sk="N", g="S", n="N", l="B"),
            "GlobalSecondaryIndexes": [
                index("by-g", "g", "n"),
                index("keys", "n", kind="KEYS_ONLY"),
            ],
            "LocalSecondaryIndexes": [index("local", "pk", "l", kind="INCLUDE")],
            **common,
        },
        {
            "TableName": "Binary",
            "KeySchema": schema("pk", "sk"),
            "AttributeDefinitions": attributes(pk="B", sk="B"),
            **common,
        },
        {
            "TableName": "Multi",
            "KeySchema": schema("pk"),
            "AttributeDefinitions": attributes(pk="S", t="S", c="S", y="N", z="S"),
            "GlobalSecondaryIndexes": [index("several", "t", "c", "y", "z", hashes=2)],
            "StreamSpecification": stream,
            **common,
        },
    ]


class Requests:
    """Requests from one source of randomness: the same seed, the same requests."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.words = Words(self.random)
        self.odds = self.words.odds
        self._writers: dict[str, Any] = {
            "PutItem": self.put_item,
            "GetItem": self.get_item,
            "UpdateItem": self.update_item,
            "DeleteItem": self.delete_item,
            "Query": self.query,
            "Scan": self.scan,
            "BatchGetItem": self.batch_get,
            "BatchWriteItem": self.batch_write,
            "TransactWriteItems": self.transact_write,
            "TransactGetItems": self.transact_get,
            "ExecuteStatement": self.execute,
            "BatchExecuteStatement": lambda: {"Statements": self._statements()},
            "ExecuteTransaction": lambda: {"TransactStatements": self._statements()},
        }
        self._data = [*self._writers, "PutItem", "UpdateItem", "Query", "ExecuteStatement"]
        self._others = sorted((OPERATIONS | STREAM_OPERATIONS) - set(self._writers))
        self._others += ["CreateTable", "UpdateTable", "DeleteTable", "GetRecords"] * 3
        #: Names and tokens that answers contained, by the name of their member.
        self._seen: dict[str, deque[Any]] = {}

    # --- a whole request -------------------------------------------------------------

    def next(self) -> tuple[str, bytes]:
        """An operation and a body, which may be wrong in every way."""
        if self.odds(0.85):
            operation = self.random.choice(self._data)
            request = self._writers[operation]()
        else:
            operation = self.random.choice(self._others)
            request = self.other(operation)
        roll = self.random.random()
        if roll < 0.25:
            request = self.mutated(request)
        elif roll < 0.27:
            other = self.random.choice(self._data)
            operation = other if self.odds(0.5) else operation + self.words.noise()
        return operation, self.body(request)

    def learn(self, answer: Any) -> None:
        """Remember what later requests may refer to."""
        if isinstance(answer, list):
            for member in answer[:5]:
                self.learn(member)
        elif isinstance(answer, dict):
            for name, member in answer.items():
                if name in TOKENS:
                    self._seen.setdefault(TOKENS[name], deque(maxlen=8)).append(member)
                elif name not in ("Items", "Item", "Attributes", "Responses"):
                    self.learn(member)

    def body(self, request: Any) -> bytes:
        text = json.dumps(request, ensure_ascii=self.odds(0.5))
        if self.odds(0.94):
            return text.encode("utf-8", "surrogatepass")
        return self._broken(text)

    def _broken(self, text: str) -> bytes:
        data = bytearray(text.encode("utf-8", "surrogatepass"))
        at = self.random.randrange(len(data) + 1)
        roll = self.random.randrange(9)
        if roll == 0:
            return bytes(data[:at])
        if roll == 1:
            return bytes(self.random.randbytes(self.random.choice([0, 1, 5, 200])))
        if roll == 2:
            data[at:at] = self.random.randbytes(self.random.choice([1, 2, 4]))
        elif roll == 3:
            depth = self.random.choice([100, 2000, 100_000])
            opening = self.random.choice(['{"L":[', "[", '{"M":{"a":'])
            return (opening * depth).encode()
        elif roll == 4:
            depth = self.random.choice([30, 33, 60, 70, 500])
            value = '{"L":[' * depth + '{"S":"x"}' + "]}" * depth
            return f'{{"TableName":"Simple","Item":{{"pk":{{"S":"a"}},"x":{value}}}}}'.encode()
        elif roll == 5:
            return text.encode(self.random.choice(["utf-16", "utf-32", "utf-8-sig"]), "replace")
        elif roll == 6:
            data[at:at] = self.random.choice(
                [b"NaN", b"1e400", b"-", b"//x", b"\\ud800", b'"', b",", b"1" * 400, b"\\u0000"]
            )
        elif roll == 7 and data:
            del data[at % len(data)]
        else:
            data += self.random.choice([b"{}", b"\x00", b" x", b"]"])
        return bytes(data)

    # --- parts -----------------------------------------------------------------------

    def keys(self) -> Keys:
        return self.random.choice(TABLES)

    def table_name(self, keys: Keys) -> str:
        if self.odds(0.02):
            return self.random.choice(
                ["None", "x", "", "arn:aws:dynamodb:us-east-1:0:table/Simple"]
            )
        return keys.table

    def key_value(self, kind: str) -> Request:
        if self.odds(0.04):
            return self.words.value()
        content = {
            "S": lambda: self.random.choice("abcdefghijkl"),
            "N": lambda: str(self.random.randint(0, 30)),
            "B": lambda: self.random.choice(["YQ==", "YWI=", "AA==", "/w==", "AAA=", "YWJj"]),
        }
        return {kind: content[kind]()}

    def key(self, keys: Keys) -> Request:
        parts = [keys.hash, *([keys.range] if keys.range else [])]
        key = {name: self.key_value(kind) for name, kind in parts}
        if self.odds(0.02):
            key[self.words.attribute()] = self.words.value()
        return key

    def item(self, keys: Keys) -> Request:
        item = {}
        if keys.indexes and self.odds(0.6):
            item = {name: self.key_value(kind) for name, kind in TYPES.items()}
        for _ in range(self.random.choice([0, 1, 3, 6])):
            name = self.words.attribute()
            # Index keys are of their type most of the time, or nothing would be indexed.
            proper = name in TYPES and self.odds(0.9)
            item[name] = self.key_value(TYPES[name]) if proper else self.words.value()
        if self.odds(0.01):
            item["a"] = {"S": "x" * self.random.choice([300_000, 409_000, 500_000])}
        return {**item, **self.key(keys)}

    def with_placeholders(self, request: Request) -> Request:
        """Give the placeholders in the request's expressions a meaning, or forget to."""
        text = " ".join(value for value in request.values() if isinstance(value, str))
        names = {f"#{c}": self.words.attribute() for c in "nmk" if f"#{c}" in text}
        values = {f":{c}": self.words.value_of(f":{c}") for c in "vwnslt" if f":{c}" in text}
        for placeholders in (names, values):
            if placeholders and self.odds(0.03):
                placeholders.pop(next(iter(placeholders)))
            if self.odds(0.02):
                placeholders[self.words.noise()] = self.words.value()
        if names or self.odds(0.01):
            request["ExpressionAttributeNames"] = names
        if values or self.odds(0.01):
            request.setdefault("ExpressionAttributeValues", {}).update(values)
        return request

    def _conditioned(self, request: Request) -> Request:
        if self.odds(0.4):
            request["ConditionExpression"] = self.words.maybe_damaged(self.words.condition())
        if self.odds(0.1):
            request["ReturnConsumedCapacity"] = self.random.choice(
                ["INDEXES", "TOTAL", "NONE", "x"]
            )
        if self.odds(0.2):
            updates = ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"]
            some = "UpdateExpression" in request or self.odds(0.1)
            request["ReturnValues"] = self.random.choice(updates if some else ["NONE", "ALL_OLD"])
        if self.odds(0.05):
            request["ReturnItemCollectionMetrics"] = "SIZE"
        if self.odds(0.05):
            self._legacy(request, "Expected")
        return self.with_placeholders(request)

    def _legacy(self, request: Request, name: str) -> None:
        operators = ["EQ", "NE", "GT", "BETWEEN", "IN", "NULL", "CONTAINS", "BEGINS_WITH", "x"]
        request[name] = {
            self.words.attribute(): {
                "ComparisonOperator": self.random.choice(operators),
                "AttributeValueList": [
                    self.words.value() for _ in range(self.random.choice([0, 1, 2]))
                ],
            }
            for _ in range(self.random.choice([0, 1, 2]))
        }

    # --- the data plane --------------------------------------------------------------

    def put_item(self) -> Request:
        keys = self.keys()
        return self._conditioned({"TableName": self.table_name(keys), "Item": self.item(keys)})

    def get_item(self) -> Request:
        keys = self.keys()
        request = {"TableName": self.table_name(keys), "Key": self.key(keys)}
        if self.odds(0.5):
            request["ProjectionExpression"] = self.words.maybe_damaged(self.words.projection())
        elif self.odds(0.2):
            request["AttributesToGet"] = [self.words.attribute(), self.words.attribute()]
        return self.with_placeholders(request)

    def delete_item(self) -> Request:
        keys = self.keys()
        return self._conditioned({"TableName": self.table_name(keys), "Key": self.key(keys)})

    def update_item(self) -> Request:
        keys = self.keys()
        request: Request = {"TableName": self.table_name(keys), "Key": self.key(keys)}
        if self.odds(0.9):
            request["UpdateExpression"] = self.words.maybe_damaged(self.words.update())
        elif self.odds(0.8):
            request["AttributeUpdates"] = {
                self.words.attribute(): {
                    "Action": self.random.choice(["PUT", "ADD", "DELETE"]),
                    "Value": self.words.value(),
                }
            }
        return self._conditioned(request)

    def _read(self, keys: Keys, request: Request, legacy: str) -> Request:
        if self.odds(0.4):
            request["FilterExpression"] = self.words.maybe_damaged(self.words.condition())
        elif self.odds(0.1):
            self._legacy(request, legacy)
        if self.odds(0.3):
            request["ProjectionExpression"] = self.words.maybe_damaged(self.words.projection())
        if self.odds(0.4):
            request["Limit"] = self.random.choice([1, 2, 3, 10, 0, -1, 2**31, 10**30])
        if self.odds(0.15):
            starts = [self.key(keys), self.item(keys), *self._seen.get("ExclusiveStartKey", ())]
            request["ExclusiveStartKey"] = self.random.choice(starts)
        if self.odds(0.2):
            request["Select"] = self.random.choice(
                ["COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES"]
            )
        if self.odds(0.2):
            request["ConsistentRead"] = self.odds(0.5)
        return self.with_placeholders(request)

    def query(self) -> Request:
        keys = self.keys()
        hash_, range_ = keys.hash[0], keys.range[0] if keys.range else None
        request: Request = {"TableName": self.table_name(keys)}
        if keys.indexes and self.odds(0.5):
            request["IndexName"], hash_, range_ = self.random.choice(keys.indexes)
        if self.odds(0.9):
            text = self.words.key_condition(hash_, range_)
            if request.get("IndexName") == "several":
                text = "t = :p AND c = :p" + self.random.choice(["", " AND y = :r", " AND y > :r"])
            types = {**TYPES, "pk": keys.hash[1], "sk": keys.range[1] if keys.range else "S"}
            values = {":p": self.key_value(types[hash_])}
            kind = types["y" if "several" in request.values() else range_ or "sk"]
            values |= {f":{c}": self.key_value(kind) for c in "rq" if f":{c}" in text}
            request["KeyConditionExpression"] = self.words.maybe_damaged(text, 0.15)
            request["ExpressionAttributeValues"] = values
        else:
            self._legacy(request, "KeyConditions")
        if self.odds(0.3):
            request["ScanIndexForward"] = self.odds(0.5)
        return self._read(keys, request, "QueryFilter")

    def scan(self) -> Request:
        keys = self.keys()
        request: Request = {"TableName": self.table_name(keys)}
        if keys.indexes and self.odds(0.4):
            request["IndexName"] = self.random.choice(keys.indexes)[0]
        if self.odds(0.2):
            total = self.random.choice([1, 2, 5, 1_000_000, 0])
            request |= {"TotalSegments": total, "Segment": self.random.choice([0, 1, total, -1])}
        return self._read(keys, request, "ScanFilter")

    def batch_get(self) -> Request:
        wanted: Request = {}
        for keys in self.random.sample(TABLES, self.random.choice([1, 2])):
            some = range(self.random.choice([1, 3, 10, 101 if self.odds(0.05) else 4]))
            unique = {str(key): key for key in (self.key(keys) for _ in some)}
            wanted[self.table_name(keys)] = {
                "Keys": list(unique.values()) * (2 if self.odds(0.05) else 1)
            }
        return {"RequestItems": wanted}

    def batch_write(self) -> Request:
        wanted: Request = {}
        for keys in self.random.sample(TABLES, self.random.choice([1, 2])):
            wanted[self.table_name(keys)] = [
                {"PutRequest": {"Item": self.item(keys)}}
                if self.odds(0.6)
                else {"DeleteRequest": {"Key": self.key(keys)}}
                for _ in range(self.random.choice([1, 2, 26 if self.odds(0.05) else 3]))
            ]
        return {"RequestItems": wanted}

    def transact_write(self) -> Request:
        actions = {
            "Put": self.put_item,
            "Update": self.update_item,
            "Delete": self.delete_item,
            "ConditionCheck": self.delete_item,
        }
        members = []
        for _ in range(self.random.choice([1, 2, 3])):
            name = self.random.choice(sorted(actions))
            members.append({name: actions[name]()})
        request: Request = {"TransactItems": members}
        if self.odds(0.2):
            request["ClientRequestToken"] = self.random.choice(["one", "two", "three", "x" * 40])
        return request

    def transact_get(self) -> Request:
        some = range(self.random.choice([1, 2, 3]))
        return {"TransactItems": [{"Get": self.get_item()} for _ in some]}

    # --- PartiQL ---------------------------------------------------------------------

    def execute(self) -> Request:
        text = self.words.maybe_damaged(self.words.statement(NAMES))
        request: Request = {"Statement": text}
        wanted = text.count("?") + (self.random.choice([-1, 1]) if self.odds(0.05) else 0)
        if wanted > 0:
            request["Parameters"] = [
                self.key_value("S") if self.odds(0.5) else self.words.value() for _ in range(wanted)
            ]
        if self.odds(0.2):
            request["Limit"] = self.random.choice([1, 5, 0])
        if self.odds(0.05):
            token = base64.b64encode(self.random.randbytes(12)).decode()
            tokens = [token, "x", "", *self._seen.get("NextToken", ())]
            request["NextToken"] = self.random.choice(tokens)
        return request

    def _statements(self) -> list[Request]:
        requests = [self.execute() for _ in range(self.random.choice([1, 2, 3]))]
        members = ("Statement", "Parameters")
        return [{name: each[name] for name in members if name in each} for each in requests]

    # --- everything else, from the service model -------------------------------------

    def from_shape(self, shape: Shape, depth: int = 0) -> Any:
        """A value of this shape; optional members come and go."""
        choice = self.random.choice
        if depth > 6:
            return None
        match shape.kind:
            case "structure":
                return {
                    name: self._member(name, member, depth)
                    for name, member in shape.members.items()
                    if name in shape.required or self.odds(0.35)
                }
            case "value":
                return self.words.value()
            case "list":
                assert shape.member is not None
                some = range(choice([1, 1, 2, 3]))
                return [self.from_shape(shape.member, depth + 1) for _ in some]
            case "map":
                assert shape.member is not None
                return {choice(NAMES): self.from_shape(shape.member, depth + 1)}
            case "string":
                return choice(shape.enum) if shape.enum and self.odds(0.95) else self._name()
            case "boolean":
                return self.odds(0.5)
            case "timestamp" | "double":
                return choice([0, 1.5, 1_700_000_000, 1_900_000_000, 2**60])
        return choice([1, 2, 5, 25, 100, 0, -1, 2**31])

    def _name(self) -> str:
        arn = f"arn:aws:dynamodb:us-east-1:000000000000:table/{self.random.choice(NAMES)}"
        texts = [*SPARE, *SPARE, "pk", "sk", "g", "by-g", "due", arn, arn + "/stream/x"]
        return self.random.choice(texts) if self.odds(0.8) else self.words.text()

    def other(self, operation: str) -> Request:
        """A request that is not about items."""
        if operation == "CreateTable" and self.odds(0.6):
            wanted = {**self.random.choice(definitions()), "TableName": self.random.choice(SPARE)}
            return self._mutate(wanted) if self.odds(0.4) else wanted
        if operation == "UpdateTable" and self.odds(0.6):
            return {"TableName": self.random.choice(SPARE), **self._alteration()}
        request: Request = self.from_shape(input_of(operation))
        return request

    def _alteration(self) -> Request:
        new = {
            "IndexName": self.random.choice(["new", "by-g"]),
            "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
        return self.random.choice(
            [
                {
                    "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
                    "GlobalSecondaryIndexUpdates": [{"Create": new}],
                },
                {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": new["IndexName"]}}]},
                {"DeletionProtectionEnabled": self.odds(0.2)},
                {"BillingMode": "PAY_PER_REQUEST"},
                {"StreamSpecification": {"StreamEnabled": False}},
                {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}},
            ]
        )

    def _member(self, name: str, shape: Shape, depth: int) -> Any:
        if name in self._seen and self.odds(0.8):
            return self.random.choice(self._seen[name])
        if name in ("TableName", "TargetTableName", "SourceTableName") and self.odds(0.8):
            return self.random.choice(SPARE)
        return self.from_shape(shape, depth + 1)

    # --- damage ----------------------------------------------------------------------

    def mutated(self, request: Any) -> Any:
        """The request with a few of its parts replaced, removed, added or exchanged."""
        for _ in range(self.random.choice([1, 1, 2, 3])):
            request = self._mutate(request)
        return request

    def _mutate(self, value: Any) -> Any:
        if isinstance(value, dict) and value and self.odds(0.75):
            name = self.random.choice(list(value))
            changed = dict(value)
            roll = self.random.random()
            if roll < 0.12:
                del changed[name]
            elif roll < 0.2:
                changed[self.words.noise()] = self.junk()
            elif roll < 0.26:
                changed[name[:-1] if self.odds(0.5) else name.swapcase()] = changed.pop(name)
            else:
                changed[name] = self._mutate(value[name])
            return changed
        if isinstance(value, list) and value and self.odds(0.75):
            changed_list = list(value)
            at = self.random.randrange(len(value))
            roll = self.random.random()
            if roll < 0.15:
                del changed_list[at]
            elif roll < 0.3:
                changed_list.insert(at, self.random.choice([changed_list[at], self.junk()]))
            else:
                changed_list[at] = self._mutate(value[at])
            return changed_list
        if isinstance(value, str) and self.odds(0.5):
            return self.words.damaged(value)
        return self.junk()

    def junk(self) -> Any:
        """Any JSON value at all."""
        choices: list[Any] = [
            *(None, True, False, 0, -1, 1.5, 2**31, 2**63, 2**64, 10**40, 1e308, -0.0),
            *("", "x", "true", "1", [], {}, [[]], [None], {"": None}, {"S": 1}, {"L": {}}),
            *({"S": "x"}, {"N": "1"}, {"S": "x", "N": "1"}, {"M": []}, {"NULL": False}, {"X": 1}),
            *([{"S": "x"}] * 3, {"B": "%"}, {"SS": []}, {"SS": ["a", "a"]}, {"NS": ["1", "1.0"]}),
            self.words.value(),
            self.words.text(),
            "x" * 70_000,
        ]
        return self.random.choice(choices)
