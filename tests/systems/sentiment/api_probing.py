"""What generated requests find in sentiment, and everybody who can call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from hypothesis import strategies as st
from tests.service.seeded_probing import Pool, Prober, Service
from tests.systems.sentiment.api_requests import MAY
from tests.systems.sentiment.api_world import ACTIVE, FEED, OTHER, TOPICS, WHO, World

#: Said before a request reaches what it is for.
_AT_THE_DOOR = frozenset({"BAD_RANGE", "PRECONDITION_REQUIRED"})


@dataclass(frozen=True)
class Scene:
    """What there is."""

    world: World
    pool: Pool

    def headers(self, who: str) -> dict[str, str]:
        return self.world.headers(who)

    def seen_as(self, who: str, address: Mapping[str, Any]) -> str:
        return who

    def strategy(self, member: str) -> st.SearchStrategy[Any] | None:
        if member in ("any", "all", "none"):
            terms = st.sampled_from(("AI", "artificial intelligence", "C++", "Straße", "climate"))
            return st.lists(terms, min_size=1, max_size=5)
        return None


def prober(world: World) -> Prober:
    """Of all operations."""
    world.follow()
    shared = shared_pool(world)

    def stage(name: str) -> Scene:
        world.follow()
        return Scene(world, {**shared, **_own(world, name)})

    document = world.http.get("/sentiment/openapi.json").json()
    url = f"{world.service.url}/sentiment"
    return Prober(Service(url, document, MAY, WHO, stage, _AT_THE_DOOR))


def shared_pool(world: World) -> Pool:
    """What there is, by the names that parameters and members have."""
    now = datetime.now(UTC).replace(microsecond=0)
    starts = [_text(now - timedelta(hours=hours)) for hours in (1, 1, 30, 1000)]
    rules = [world.rule(), world.rule(channel="https://93.184.215.14/hook"), "ops-stuck"]
    return {
        "article_id": world.articles,
        "tag": [*TOPICS, "ai", "climate"],
        "source": ["bbc-news", "other"],
        "rule_id": rules,
        "alert_id": [world.alert() for _ in range(2)],
        "name": world.sources,
        "from": starts,
        "to": [_text(now), _text(now - timedelta(minutes=5))],
        "since": starts,
        "until": [_text(now)],
        "interval": ["1h", "6h", "1d"],
        "q": ["those", "ai as told"],
        "cursor": [_cursor(world, path) for path in ("/items", "/alert-rules", "/api-keys")],
        "If-Match": ["*", '"1"'],
        "sentiment": ["positive", "negative"],
        "status": ["analyzed", "failed"],
        "model_version": [OTHER, ACTIVE],
        "path": ["words", "nothing"],
        "checksum": ["0" * 64],
        "url": [f"file:{FEED}", "https://93.184.215.14/feed.xml", "http://169.254.169.254/"],
        "channel": ["https://93.184.215.14/hook", "press@example.org"],
        "metric": ["volume", "index"],
        "published_at": [_text(now), "2026-13-01"],
        "title": ["AI wins", "<script>alert(1)</script> climate"],
        "roles": [["viewer"], ["ingest"]],
        "day": [now.date().isoformat()],
    }


def _own(world: World, operation: str) -> Pool:
    """What an operation needs anew, or what means something else to it."""
    if operation.endswith("_reanalysis"):
        wanted = {"promote_reanalysis": "compared", "roll_back_reanalysis": "promoting"}
        return {"job_id": [world.job(wanted.get(operation, "running"))]}
    if operation.endswith("_message"):
        return {"handle": [world.dead_message() for _ in range(3)]}
    if operation == "revoke_api_key":
        return {"key_id": [_key(world) for _ in range(2)]}
    if operation == "delete_topic":
        return {"tag": [world.topic() for _ in range(3)]}
    if operation == "delete_source":
        return {"name": [world.source() for _ in range(3)]}
    if operation == "delete_rule":
        return {"rule_id": [world.rule() for _ in range(3)]}
    if operation == "create_topic":
        return {"tag": [f"t{uuid4().hex[:12]}" for _ in range(3)]}
    if operation == "create_source":
        return {"name": [f"s-{uuid4().hex[:12]}" for _ in range(3)], "source_type": ["rss"]}
    if operation == "register_model":
        # Ten a minute: what each needs is there, so that some of them are right.
        names = [f"words-{uuid4().hex[:12]}" for _ in range(3)]
        return {
            "model_version": [*names, OTHER],
            "kind": ["onnx"],
            "path": ["words", "words", "nothing"],
            "checksum": [None],
        }
    if operation == "requeue":
        return {"all": [False], "ids": [[world.failed()], [world.stuck(), world.articles[0]]]}
    if operation in ("create_rule", "put_rule", "create_api_key"):
        return {"name": ["Tests", "Straße"]}
    return {}


def _text(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _key(world: World) -> str:
    return str(world.done("POST", "/api-keys", {"name": "x", "roles": ["viewer"]})["key_id"])


def _cursor(world: World, path: str) -> str:
    return str(world.done("GET", f"{path}?limit=1")["next_cursor"])
