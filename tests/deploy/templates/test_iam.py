"""Policies: everything that a component does is allowed, and nothing that it does not do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest
from tests.deploy.templates import corners
from tests.deploy.templates.evaluator import Asked, allowed
from tests.deploy.templates.recording import ACCOUNT, Recorder
from tests.deploy.templates.samples import ALL, Sample, sample

from tablewright.client import Db
from tablewright.client.feed import ChangeFeed
from tablewright.clock import ManualClock
from tablewright.deploy.naming import Naming
from tablewright.deploy.templates.iam import (
    DEFAULT,
    Access,
    Account,
    components,
    document_of,
    needs_of,
    policies,
    policy_of,
)
from tablewright.deploy.templates.iam.beginnings import beginnings
from tablewright.deploy.templates.iam.prefixes import leading_keys, simplified
from tablewright.engine import Engine
from tablewright.model import (
    Entity,
    Key,
    Put,
    Table,
    Ttl,
    Update,
    attr,
    definition,
    put,
    transaction,
    update,
    write,
)
from tablewright.model.errors import ConditionFailed, ModelError, TablewrightError

DATA = (
    "GetItem",
    "BatchGetItem",
    "Query",
    "Scan",
    "ConditionCheckItem",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "BatchWriteItem",
)
CONTROL = (
    "DeleteTable",
    "UpdateTable",
    "CreateTable",
    "UpdateTimeToLive",
    "RestoreTableFromBackup",
)
PARTIQL = ("PartiQLSelect", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete")
WITH_CALLS = [name for name in ALL if name != "github"]


@cache
def made(name: str) -> dict[str, dict[str, Any]]:
    return policies(sample(name).model, Account(), sample(name).calls)


@cache
def recorded(name: str) -> dict[str, list[Asked]]:
    """What each pattern's call really sends; done again afterwards, when many are refused."""
    found: dict[str, list[Asked]] = {}
    given = sample(name)
    now = given.now.timestamp()
    # The engine's own clock is behind: what has ended is still there, and the client's to remove.
    with Engine.memory(clock=ManualClock(now - 86400)) as engine:
        recorder = Recorder(engine)
        db = Db(recorder, clock=ManualClock(now))
        db.create_tables(*Naming(env="dev").tables(given.model))
        for item in given.items:
            db.run(put(item))
        for again in (False, True):
            for pattern, call in given.calls.items():
                recorder.asked.clear()
                with suppress(TablewrightError) if again else nullcontext():
                    db.run(call)
                found.setdefault(pattern, []).extend(recorder.asked)
    return found


def by_component(name: str) -> dict[str, list[Asked]]:
    found: dict[str, list[Asked]] = {}
    for pattern, asked in recorded(name).items():
        component = sample(name).model.patterns[pattern].component or DEFAULT
        found.setdefault(component, []).extend(asked)
    return found


# --- what is allowed -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", WITH_CALLS)
def test_what_a_component_sends_is_allowed(name: str) -> None:
    given = sample(name)
    assert set(given.calls) == set(given.model.patterns)
    for pattern, asked in recorded(name).items():
        component = given.model.patterns[pattern].component or DEFAULT
        refused = [each for each in asked if not allowed(made(name)[component], each)]
        assert refused == [], (pattern, component)


@pytest.mark.parametrize("name", WITH_CALLS)
def test_every_pattern_alone_needs_no_other(name: str) -> None:
    """No pattern lives on what another one of its component was given."""
    given = sample(name)
    for pattern, asked in recorded(name).items():
        needs = needs_of(given.model.patterns[pattern], given.calls[pattern])
        alone = document_of(needs, Account())
        assert [each for each in asked if not allowed(alone, each)] == [], pattern


@pytest.mark.parametrize("name", WITH_CALLS)
def test_without_sample_calls_it_is_allowed_as_well(name: str) -> None:
    """Nobody who gives no demo gets a policy that refuses what the patterns do."""
    given = sample(name)
    wide = policies(given.model, Account())
    for pattern, asked in recorded(name).items():
        component = given.model.patterns[pattern].component or DEFAULT
        assert [each for each in asked if not allowed(wide[component], each)] == [], pattern


# --- what is not allowed -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_nothing_is_allowed_by_an_asterisk(name: str) -> None:
    for document in made(name).values():
        for statement in document["Statement"]:
            assert statement["Effect"] == "Allow"
            assert not [each for each in statement["Action"] if "*" in each]
            assert "*" not in statement["Resource"]


@pytest.mark.parametrize("name", ALL)
def test_tables_and_settings_are_nobodys(name: str) -> None:
    given = sample(name)
    for document in made(name).values():
        for table in given.model.tables:
            for action in (*CONTROL, *PARTIQL):
                assert not allowed(document, Asked(action, f"{ACCOUNT}:table/{table}"))


@pytest.mark.parametrize("name", ALL)
def test_only_who_declares_a_scan_may_scan(name: str) -> None:
    given = sample(name)
    for component, document in made(name).items():
        scanned = {
            table.name
            for pattern in components(given.model)[component]
            if pattern.kind == "scan"
            for table in pattern.tables
        }
        for table in given.model.tables.values():
            whole = Asked("Scan", f"{ACCOUNT}:table/{table.name}")
            assert allowed(document, whole) == (table.name in scanned), component
            for index in table.indexes:
                place = f"{ACCOUNT}:table/{table.name}/index/{index}"
                assert not allowed(document, Asked("Scan", place))


@pytest.mark.parametrize("name", ALL)
def test_tables_and_indexes_of_others_are_denied(name: str) -> None:
    given = sample(name)
    for component, document in made(name).items():
        patterns = components(given.model)[component]
        used = {table.name for pattern in patterns for table in pattern.tables}
        queried = {
            (table.name, pattern.index.name)
            for pattern in patterns
            for table in pattern.tables
            if pattern.index is not None
        }
        for asked in _everything(given):
            table, _, index = asked.resource.partition(":table/")[2].partition("/index/")
            if (index and (table, index) not in queried) or table not in used:
                assert not allowed(document, asked), (component, asked)


def _everything(given: Sample) -> Iterator[Asked]:
    """Every action on every table and index, with a key that fits the first entity there."""
    for table in (*given.model.tables.values(), Table("Elsewhere", pk="PK")):
        for action in DATA:
            for entity in table.entities.values() or (None,):
                context = {} if entity is None else _leading(entity)
                yield Asked(action, f"{ACCOUNT}:table/{table.name}", context)
                for index in table.indexes:
                    yield Asked(action, f"{ACCOUNT}:table/{table.name}/index/{index}", context)


def _leading(entity: Any) -> Mapping[str, tuple[str, ...]]:
    texts = leading_keys(entity.primary, entity) or ("x",)
    return {"dynamodb:LeadingKeys": (texts[0].replace("*", "x"),)}


@pytest.mark.parametrize("name", WITH_CALLS)
def test_what_is_allowed_beyond_what_was_sent_has_a_reason(name: str) -> None:
    """Reads and locks of conflicts that the calls did not have; nothing else."""
    for component, document in made(name).items():
        sent = {(each.action, each.resource) for each in by_component(name)[component]}
        granted = {
            (action.removeprefix("dynamodb:"), statement["Resource"])
            for statement in document["Statement"]
            for action in statement["Action"]
        }
        assert sent <= granted
        assert {action for action, _ in granted - sent} <= {"GetItem", "DeleteItem", "PutItem"}


@pytest.mark.parametrize("name", WITH_CALLS)
def test_keys_of_others_are_denied_where_keys_begin_alike(name: str) -> None:
    held = 0
    for document in made(name).values():
        for statement in document["Statement"]:
            if "ForAllValues:StringLike" not in statement.get("Condition", {}):
                continue
            held += 1
            for keys in (("stranger",), (), ("CONFIG", "stranger")):
                context = {"dynamodb:LeadingKeys": keys}
                for action in statement["Action"]:
                    asked = Asked(action.removeprefix("dynamodb:"), statement["Resource"], context)
                    assert not allowed({**document, "Statement": [statement]}, asked)
    assert held or name == "ladders", "a model of literal keys has conditions on them"


# --- by hand -------------------------------------------------------------------------------------


def shop(action: str, key: str, index: str = "") -> Asked:
    place = f"{ACCOUNT}:table/Shop{index}"
    return Asked(action, place, {"dynamodb:LeadingKeys": (key,)})


def test_a_shop() -> None:
    accounts, checkout, warehouse, others = (
        made("ecommerce")[name] for name in ("accounts", "checkout", "warehouse", DEFAULT)
    )
    assert allowed(checkout, shop("PutItem", "ORDER#1"))
    assert allowed(checkout, shop("ConditionCheckItem", "CUSTOMER#ada"))
    assert not allowed(checkout, shop("ConditionCheckItem", "ORDER#1"))
    assert not allowed(checkout, shop("UpdateItem", "CUSTOMER#ada"))
    assert not allowed(checkout, shop("GetItem", "CUSTOMER#ada"))
    assert not allowed(checkout, shop("PutItem", "UNIQUE#customer-email#x"))
    assert allowed(warehouse, shop("UpdateItem", "CUSTOMER#ada"))
    assert not allowed(warehouse, shop("PutItem", "CUSTOMER#ada"))
    assert allowed(accounts, shop("PutItem", "UNIQUE#customer-email#x"))
    assert not allowed(accounts, shop("PutItem", "UNIQUE#other#x"))
    assert allowed(others, shop("Query", "TO_PACK", "/index/GSI2"))
    assert not allowed(others, shop("Query", "TO_PACK2", "/index/GSI2"))
    assert not allowed(others, shop("Query", "TO_PACK", "/index/GSI1"))
    assert not allowed(others, shop("Query", "ORDER#1"))


def test_an_order_of_several_keys_needs_all_of_them_allowed() -> None:
    policy = made("corners")["counting"]
    place = f"{ACCOUNT}:table/Accounts"
    assert allowed(policy, Asked("BatchGetItem", place, _keys("VIEWS#home#00", "VIEWS#a#01")))
    assert not allowed(policy, Asked("BatchGetItem", place, _keys("VIEWS#home#00", "LOGIN#t")))
    assert not allowed(policy, Asked("BatchGetItem", place, _keys()))


def _keys(*keys: str) -> dict[str, tuple[str, ...]]:
    return {"dynamodb:LeadingKeys": keys}


def test_signs_in_a_literal_are_no_wildcards() -> None:
    known = definition(corners.Account)
    assert leading_keys(known.primary, known) == ("ACC${*}${$}*",)
    policy = made("corners")["web"]
    place = f"{ACCOUNT}:table/Accounts"
    assert allowed(policy, Asked("GetItem", place, _keys("ACC*$ada")))
    assert not allowed(policy, Asked("GetItem", place, _keys("ACCxxada")))


def test_fields_of_few_values_count_as_literal() -> None:
    known = definition(corners.Token)
    assert leading_keys(known.primary, known) == ("LOGIN#*", "RESET#*")
    status = known.table.entities["Account"]
    assert leading_keys(status.keys["by_status"], status) == ("STATUS#new", "STATUS#old")


def test_keys_that_begin_with_anything_have_no_condition() -> None:
    (statement,) = made("corners")["audit"]["Statement"]
    assert "Condition" not in statement
    assert (
        statement["Action"] == [f"dynamodb:{x}" for x in ("BatchGetItem", "GetItem", "Query")][0::2]
    )


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (r"(?:rss|file)#[0-9]+", ["rss#", "file#"]),
        (r"ORG#[0-9a-f-]{36}(?:#APP#[a-z]+)?", ["ORG#"]),
        (r"all|tag#[a-z]+|source#[a-z]+", ["all", "tag#", "source#"]),
        (r"[a-z]+#x", [""]),
        (r"(?:a|[bc])#x", [""]),
        (r"(?:ab|a[bc])#x", ["ab", "a"]),
        (r"(?:rss|file)?#x", [""]),
        (r"abc?d", ["ab"]),
        (r"a{2}b", [""]),
        (r"ab\.c", ["ab"]),
        (r"a|", [""]),
        (r"x[|]y|z", ["x", "z"]),
    ],
)
def test_what_a_shape_begins_with(pattern: str, found: list[str]) -> None:
    assert beginnings(pattern) == found


def test_a_text_of_a_certain_shape_holds_keys_to_its_beginnings() -> None:
    """Articles begin with the kind of their source; counts with a literal, which is enough."""
    known = sample("sentiment").model.entities
    article, tally = known["Article"], known["Tally"]
    kinds = ("file#*", "newsapi#*", "reddit#*", "rss#*", "twitter#*")
    assert leading_keys(article.primary, article) == kinds
    assert leading_keys(tally.primary, tally) == ("agg#*",)
    row = known["TagRow"]
    assert leading_keys(row.keys["by_tag"], row) is None


def test_wider_texts_cover_narrower_ones() -> None:
    table = Table("Two", pk="PK", sk="SK")

    class Wide(Entity, table=table, keys={"primary": Key("A{a}", "W")}):
        a: str

    class Narrow(Entity, table=table, keys={"primary": Key("AB#{a}", "N")}):
        a: str

    texts = [
        text
        for each in (Wide, Narrow)
        for text in leading_keys(definition(each).primary, definition(each)) or ()
    ]
    assert simplified(texts) == ("A*",)


def test_a_projection_limits_the_attributes() -> None:
    policy = made("corners")["cards"]
    place = f"{ACCOUNT}:table/Accounts"
    one = {**_keys("ACC*$ada"), "dynamodb:Select": ("SPECIFIC_ATTRIBUTES",)}
    fine = {**one, "dynamodb:Attributes": ("name", "age")}
    assert allowed(policy, Asked("GetItem", place, fine))
    assert not allowed(policy, Asked("GetItem", place, {**fine, "dynamodb:Attributes": ("mail",)}))
    whole = {**fine, "dynamodb:Select": ("ALL_ATTRIBUTES",)}
    assert not allowed(policy, Asked("GetItem", place, whole))


def test_who_only_counts_may_not_read() -> None:
    policy = made("corners")["counting"]
    place = f"{ACCOUNT}:table/Accounts/index/GSI1"
    key = _keys("STATUS#new")
    assert allowed(policy, Asked("Query", place, {**key, "dynamodb:Select": ("COUNT",)}))
    read = {**key, "dynamodb:Select": ("ALL_PROJECTED_ATTRIBUTES",)}
    assert not allowed(policy, Asked("Query", place, read))


def test_a_member_without_an_entity_is_an_error() -> None:
    @transaction(component="x")
    def anything() -> tuple[Put[Any]]:
        raise NotImplementedError

    with pytest.raises(ModelError, match="name the entity"):
        needs_of(anything)


# --- feeds ---------------------------------------------------------------------------------------


def test_a_feed_reads_the_stream_and_keeps_its_place() -> None:
    policy = policy_of(
        corners.model, "mailer", Account(), access=Access(feeds={"mailer": ["Accounts"]})
    )
    with Engine.memory() as engine:
        recorder = Recorder(engine)
        db = Db(recorder)
        db.create_tables(*Naming(env="dev").tables(corners.model))
        db.run(put(corners.Account(name="ada", mail="ada@example.com")))
        recorder.asked.clear()
        feed = ChangeFeed(db, corners.accounts, consumer="mailer", checkpoints=corners.checkpoints)
        with feed.batch(wait=20) as changes:
            assert changes
        feed.close()
    assert {each.action for each in recorder.asked} >= {"GetRecords", "UpdateItem"}
    assert [each for each in recorder.asked if not allowed(policy, each)] == []
    for stranger in ("Kit", "events-2.log"):
        place = f"{ACCOUNT}:table/{stranger}/stream/2026-01-01"
        assert not allowed(policy, Asked("GetRecords", place))
    assert not allowed(policy, Asked("GetItem", f"{ACCOUNT}:table/Accounts", _keys("ACC*$ada")))
    assert not allowed(policy, Asked("GetItem", f"{ACCOUNT}:table/Kit", _keys("NOTE#ada")))


def test_a_table_without_a_stream_cannot_be_followed() -> None:
    with pytest.raises(ModelError, match="no stream"):
        policy_of(
            corners.model, "mailer", Account(), access=Access(feeds={"mailer": ["events-2.log"]})
        )


# --- what authors add ----------------------------------------------------------------------------


def test_who_runs_a_pattern_of_others_may_do_so_and_no_more() -> None:
    access = Access(beside={"warehouse": ["place_order"]})
    plain = made("ecommerce")["warehouse"]
    given = sample("ecommerce")
    wide = policies(given.model, Account(), given.calls, access)["warehouse"]
    assert not allowed(plain, shop("PutItem", "ORDER#1"))
    assert allowed(wide, shop("PutItem", "ORDER#1"))
    assert not allowed(wide, shop("PutItem", "UNIQUE#customer-email#x"))


def test_a_pattern_that_is_not_there_cannot_be_given() -> None:
    given = sample("ecommerce")
    with pytest.raises(ModelError, match="no pattern nonsense"):
        policies(given.model, Account(), given.calls, Access(beside={"x": ["nonsense"]}))


def test_who_asks_how_far_a_feed_is_may_read_that_alone() -> None:
    policy = policies(corners.model, Account(), access=Access(asking=["watcher"]))["watcher"]
    (statement,) = policy["Statement"]
    assert statement["Action"] == ["dynamodb:GetItem"]
    assert not allowed(policy, Asked("GetRecords", f"{ACCOUNT}:table/Accounts/stream/2026"))


days = Table("Days", pk="PK", ttl="ends")


class Day(Entity, table=days, keys={"primary": Key("DAY#{day}")}):
    day: str
    used: int = 0
    ends: Ttl


@write(component="x")
def take(day: str, ends: datetime) -> Update[Day]:
    used = attr(Day.used).add(1)
    return update(Day, day).upsert(anew=False).do(used, attr(Day.ends).set(ends))


@write(component="x")
def take_anew(day: str, ends: datetime) -> Update[Day]:
    used = attr(Day.used).add(1)
    return update(Day, day).upsert().do(used, attr(Day.ends).set(ends))


def test_an_upsert_of_what_cannot_end_needs_no_delete() -> None:
    ends = datetime(2026, 11, 20, tzinfo=UTC)
    assert [need.action for need in needs_of(take, take("1", ends))] == ["UpdateItem"]
    wide = {need.action for need in needs_of(take_anew, take_anew("1", ends))}
    assert wide == {"UpdateItem", "GetItem", "DeleteItem"}
    assert {need.action for need in needs_of(take)} == wide, "without a call, anything may be"


def test_what_has_ended_is_created_anew_or_refused() -> None:
    ends = datetime(2026, 11, 20, tzinfo=UTC)
    moment = ends.timestamp()
    with Engine.memory(clock=ManualClock(moment - 9)) as engine:
        clock = ManualClock(moment - 9)
        db = Db(Recorder(engine), clock=clock)
        db.create_tables(days)
        assert [db.run(take("1", ends)).used for _ in range(2)] == [1, 2]
        clock.advance(10)
        with pytest.raises(ConditionFailed):
            db.run(take("1", ends))
        assert db.run(take_anew("1", ends)).used == 1
