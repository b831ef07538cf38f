"""A good request of every operation, and who may make it: the table of the specification."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from uuid import uuid4

from tests.service.good_requests import Request
from tests.systems.sentiment.api_world import API, FEED, ROLES, World, told

ADMIN = frozenset({"admin"})
#: Who reads: people of all four roles. A program that may only send articles does not.
VIEWERS = frozenset({"admin", "operator", "analyst", "viewer"})
ANALYSTS = frozenset({"admin", "analyst"})
OPERATORS = frozenset({"admin", "operator"})
SENDERS = frozenset({"admin", "ingest"})

#: Who may do what, by the name of the operation.
MAY: Final[Mapping[str, frozenset[str]]] = {
    "get_overview": VIEWERS,
    "get_timeseries": VIEWERS,
    "get_share": VIEWERS,
    "list_articles": VIEWERS,
    "get_article": VIEWERS,
    "explain_article": VIEWERS,
    "set_override": ANALYSTS,
    "clear_override": ANALYSTS,
    "export_articles": VIEWERS,
    "stream": VIEWERS,
    "list_topics": VIEWERS,
    "get_topic": VIEWERS,
    "create_topic": ANALYSTS,
    "put_topic": ANALYSTS,
    "delete_topic": ANALYSTS,
    "try_rule": ANALYSTS,
    "list_rules": VIEWERS,
    "get_rule": VIEWERS,
    "chart_rule": VIEWERS,
    "create_rule": ANALYSTS,
    "put_rule": ANALYSTS,
    "delete_rule": ANALYSTS,
    "rule_secret": ANALYSTS,
    "list_alerts": VIEWERS,
    "acknowledge": ANALYSTS,
    "ingest": SENDERS,
    "upload": OPERATORS,
    "operations": OPERATORS,
    "stuck_articles": OPERATORS,
    "failed_articles": OPERATORS,
    "requeue": OPERATORS,
    "list_sources": ADMIN,
    "get_source": ADMIN,
    "create_source": ADMIN,
    "delete_source": ADMIN,
    "change_source": ADMIN,
    "run_source": OPERATORS,
    "list_runs": OPERATORS,
    "list_models": ADMIN,
    "register_model": ADMIN,
    "list_reanalyses": ADMIN,
    "start_reanalysis": ADMIN,
    "get_reanalysis": ADMIN,
    "promote_reanalysis": ADMIN,
    "roll_back_reanalysis": ADMIN,
    "cancel_reanalysis": ADMIN,
    # What all systems have. A token opens streams for those who may look at them anyway.
    "create_stream_token": frozenset(ROLES),
    "list_api_keys": ADMIN,
    "create_api_key": ADMIN,
    "revoke_api_key": ADMIN,
    "end_sessions": ADMIN,
    "list_dead_messages": ADMIN,
    "list_sent_messages": ADMIN,
    "retry_message": ADMIN,
    "discard_message": ADMIN,
}
#: Whose answers do not end: no generated requests for them.
ENDLESS = frozenset({"stream"})

_Make = Callable[[World], Request]
_MADE: dict[str, _Make] = {}


def good_request(name: str, world: World) -> Request:
    """One that succeeds for those who may; made anew each time."""
    return _MADE[name](world)


def _made(make: _Make) -> _Make:
    _MADE[make.__name__] = make
    return make


def _get(name: str, path: str, **parameters: str) -> None:
    """A question that is the same each time."""
    _MADE[name] = lambda _: Request("GET", f"{API}{path}", parameters=parameters)


_get("get_overview", "/overview", tag="AI")
_get("get_timeseries", "/timeseries", interval="1h")
_get("get_share", "/share", by="source")
_get("list_articles", "/items", tag="AI", sentiment="negative")
_get("export_articles", "/export", format="json")
_get("stream", "/stream")
_get("list_topics", "/watch")
_get("get_topic", "/watch/ai")
_get("list_rules", "/alert-rules")
_get("get_rule", "/alert-rules/ops-stuck")
_get("list_alerts", "/alerts")
_get("operations", "/ops")
_get("stuck_articles", "/ops/stuck")
_get("failed_articles", "/ops/failed")
_get("list_sources", "/sources")
_get("list_models", "/models")
_get("list_reanalyses", "/reanalyses")
_get("list_api_keys", "/api-keys")
_get("list_dead_messages", "/outbox/dead")
_get("list_sent_messages", "/outbox/sent")


# --- articles ------------------------------------------------------------------------------------


@_made
def get_article(world: World) -> Request:
    return Request("GET", f"{API}/items/{world.articles[0]}")


@_made
def explain_article(world: World) -> Request:
    return Request("GET", f"{API}/items/{world.articles[0]}/explanation")


@_made
def set_override(world: World) -> Request:
    body = {"sentiment": "positive", "reason": "tests"}
    return Request("PUT", f"{API}/items/{world.articles[1]}/override", body, {"If-Match": "*"})


@_made
def clear_override(world: World) -> Request:
    return Request("DELETE", f"{API}/items/{world.articles[1]}/override")


@_made
def ingest(world: World) -> Request:
    return Request("POST", f"{API}/ingest", {"records": [told(), told(published_at="yesterday")]})


@_made
def upload(world: World) -> Request:
    line = f'{{"title": "AI again", "url": "https://news.example/{uuid4().hex}"}}\n'
    content = {"Content-Type": "application/x-ndjson"}
    return Request("POST", f"{API}/uploads", headers=content, content=line.encode())


# --- topics and alerts ---------------------------------------------------------------------------


@_made
def create_topic(world: World) -> Request:
    world.follow()
    tag = f"t{uuid4().hex[:12]}"
    return Request("POST", f"{API}/watch", {"tag": tag, "any": [tag]})


@_made
def put_topic(world: World) -> Request:
    return Request("PUT", f"{API}/watch/energy", {"any": ["grid"]}, {"If-Match": "*"})


@_made
def delete_topic(world: World) -> Request:
    world.follow()
    return Request("DELETE", f"{API}/watch/{world.topic()}")


@_made
def try_rule(world: World) -> Request:
    return Request("POST", f"{API}/watch/test", {"any": ["those who were there"]})


@_made
def create_rule(world: World) -> Request:
    body = {"name": "Tests", "metric": "index", "direction": "both", "tag": "Climate"}
    return Request("POST", f"{API}/alert-rules", body)


@_made
def put_rule(world: World) -> Request:
    body = {"name": "Tests", "metric": "volume", "window": "6h"}
    return Request("PUT", f"{API}/alert-rules/{world.rule()}", body, {"If-Match": "*"})


@_made
def delete_rule(world: World) -> Request:
    return Request("DELETE", f"{API}/alert-rules/{world.rule()}")


@_made
def chart_rule(world: World) -> Request:
    return Request("GET", f"{API}/alert-rules/{world.rule()}/chart")


@_made
def rule_secret(world: World) -> Request:
    rule = world.rule(channel="https://93.184.215.14/hook")
    return Request("GET", f"{API}/alert-rules/{rule}/secret")


@_made
def acknowledge(world: World) -> Request:
    return Request("POST", f"{API}/alerts/{world.alert()}/ack")


# --- what operators and administrators do --------------------------------------------------------


@_made
def requeue(world: World) -> Request:
    return Request("POST", f"{API}/ops/requeue", {"ids": [world.failed()]})


@_made
def get_source(world: World) -> Request:
    return Request("GET", f"{API}/sources/{world.sources[0]}")


@_made
def create_source(world: World) -> Request:
    body = {"name": f"s-{uuid4().hex[:12]}", "source_type": "rss", "url": f"file:{FEED}"}
    return Request("POST", f"{API}/sources", body)


@_made
def change_source(world: World) -> Request:
    body = {"url": f"file:{FEED}", "interval_seconds": 60}
    return Request("PUT", f"{API}/sources/{world.sources[0]}", body, {"If-Match": "*"})


@_made
def delete_source(world: World) -> Request:
    return Request("DELETE", f"{API}/sources/{world.source()}")


@_made
def run_source(world: World) -> Request:
    return Request("POST", f"{API}/sources/{world.source()}/run")


@_made
def list_runs(world: World) -> Request:
    return Request("GET", f"{API}/sources/{world.sources[0]}/runs")


@_made
def register_model(world: World) -> Request:
    body = {"model_version": f"v1.0.0+{uuid4().hex[:12]}", "kind": "onnx", "path": "words"}
    return Request("POST", f"{API}/models", body)


@_made
def start_reanalysis(world: World) -> Request:
    job = world.done("GET", f"/reanalyses/{world.job()}")
    body = {name: job[name] for name in ("model_version", "since", "until")}
    return Request("POST", f"{API}/reanalyses", body)


@_made
def get_reanalysis(world: World) -> Request:
    return Request("GET", f"{API}/reanalyses/{world.job()}")


@_made
def promote_reanalysis(world: World) -> Request:
    return Request("POST", f"{API}/reanalyses/{world.job('compared')}/promote")


@_made
def roll_back_reanalysis(world: World) -> Request:
    return Request("POST", f"{API}/reanalyses/{world.job('promoting')}/rollback")


@_made
def cancel_reanalysis(world: World) -> Request:
    return Request("POST", f"{API}/reanalyses/{world.job()}/cancel")


# --- what all systems have -----------------------------------------------------------------------


@_made
def create_api_key(world: World) -> Request:
    return Request("POST", f"{API}/api-keys", {"name": "tests", "roles": ["viewer"]})


@_made
def end_sessions(world: World) -> Request:
    return Request("POST", f"{API}/sessions/end", {"user": "somebody@example.org"})


@_made
def revoke_api_key(world: World) -> Request:
    made = world.done("POST", "/api-keys", {"name": "tests", "roles": ["viewer"]})
    return Request("DELETE", f"{API}/api-keys/{made['key_id']}")


@_made
def create_stream_token(world: World) -> Request:
    return Request("POST", f"{API}/stream-token")


@_made
def retry_message(world: World) -> Request:
    return Request("POST", f"{API}/outbox/dead/{world.dead_message()}/retry")


@_made
def discard_message(world: World) -> Request:
    return Request("DELETE", f"{API}/outbox/dead/{world.dead_message()}")
