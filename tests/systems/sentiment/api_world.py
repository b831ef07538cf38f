"""The whole of sentiment behind a port, with articles in every state, and everybody who can call.

There are topics, articles of all tones, one that failed and one that is stuck, sources and runs, an
alert and a comparison of models, so that requests find something. Nothing goes on beside requests,
unless a test asks for workers.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, TypeVar
from uuid import uuid4

import httpx2
from tests.service.support import Running, running
from tests.systems.sentiment.support import ADMIN, article, put_articles, stored

from tablewright.engine import Engine
from tablewright.model import put
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.kit.outbox.letters import handle_of
from tablewright.service.runtime import Runtime
from tablewright.systems.sentiment.config import Alert
from tablewright.systems.sentiment.rules.ids import shown_id
from tablewright.systems.sentiment.service.alerts.telling import alert_id
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.system import system
from tablewright.testing import in_process

R = TypeVar("R")

API = "/sentiment/api/v1"
ROLES = ("admin", "operator", "analyst", "viewer", "ingest")
#: Everybody who can come.
WHO = (*ROLES, "nonsense", "nobody")
TOPICS = ("AI", "Climate", "Energy")
#: The model that is active from the beginning, and the other one.
ACTIVE, OTHER = "v3.3.2+vader", "v1.0.0+linear"
FEED = "saltmarsh-gazette.xml"
MANY_RULES = 80

#: What would only be in the way of thousands of requests a minute.
WIDE: Final = {"TABLEWRIGHT_SENTIMENT_RECORDS_PER_MINUTE": "100000000"}


@dataclass
class World:
    """A running service, and what there is in it."""

    service: Running
    keys: Mapping[str, str]
    http: httpx2.Client
    newsroom: Newsroom
    engine: Engine
    #: Articles that have a tone, as addresses name them.
    articles: list[str] = field(default_factory=list)
    #: They cannot be removed, and there may be a hundred.
    sources: list[str] = field(default_factory=list)

    def headers(self, who: str) -> dict[str, str]:
        """How somebody proves who they are."""
        if who == "nobody":
            return {}
        return {"Authorization": f"Bearer {self.keys.get(who, who)}"}

    @property
    def admin(self) -> dict[str, str]:
        return self.headers("admin")

    def done(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """What an administrator is answered."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self.http.request(method, f"{API}{path}", json=body, headers=self.admin | named)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def do(self, work: Coroutine[Any, Any, R]) -> R:
        return self.service.do(work)

    def items(self) -> list[dict[str, Any]]:
        """Everything that is stored."""
        found: list[dict[str, Any]] = []
        asked: dict[str, Any] = {"TableName": "sentiment-items"}
        while True:
            page = self.engine.call("Scan", asked)
            found += page["Items"]
            if "LastEvaluatedKey" not in page:
                return found
            asked["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    # --- what there is ---------------------------------------------------------------------------

    def article(self, said: Any = "negative", **said_of_it: Any) -> str:
        """One that was analysed a moment ago; its id."""
        now = self.newsroom.now()
        slug = f"ai-{uuid4().hex}"
        given = {"timestamp": now, "queued_at": now, **said_of_it}
        made = self.do(stored(self.newsroom, slug, ("AI", "Climate"), said=said, **given))
        return shown_id(made.source_id)

    def stuck(self) -> str:
        """One that has waited for ten minutes."""
        at = self.newsroom.now() - timedelta(minutes=10)
        return self.article(said=None, timestamp=at, queued_at=at)

    def failed(self) -> str:
        """One that failed three times."""
        at = self.newsroom.now() - timedelta(minutes=10)
        given = {"status": "failed", "attempts": 3, "error_code": "model_error"}
        made = article(f"ai-{uuid4().hex}", timestamp=at, queued_at=at, **given)
        self.do(put_articles(self.newsroom, [made]))
        return shown_id(made.source_id)

    def follow(self) -> None:
        """The topics that everybody relies on, and few others: there may be twenty."""
        known = {each["tag"] for each in self.done("GET", "/watch")["items"]}
        for tag in known - set(TOPICS):
            self.done("DELETE", f"/watch/{tag}")
        for tag in set(TOPICS) - known:
            self.done("POST", "/watch", {"tag": tag, "any": [tag, f"{tag} prize"]})

    def topic(self) -> str:
        """A new one; there may be twenty."""
        tag = f"t{uuid4().hex[:12]}"
        self.done("POST", "/watch", {"tag": tag, "any": [tag]})
        return tag

    def rule(self, **said: Any) -> str:
        """A new one; there may be a hundred."""
        known = self.done("GET", "/alert-rules?limit=100")["items"]
        for each in known if len(known) > MANY_RULES else ():
            if not each["built_in"]:
                self.done("DELETE", f"/alert-rules/{each['id']}")
        body = {"name": "Tests", "metric": "volume", "tag": "AI", **said}
        return str(self.done("POST", "/alert-rules", body)["id"])

    def alert(self) -> str:
        """One that has fired; its id."""
        now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
        rule_id = f"rule-{uuid4().hex[:12]}"
        fired = Alert(
            window_start=now - timedelta(hours=1),
            rule_id=rule_id,
            name="Tests",
            watch_tag="ai",
            metric="volume",
            window="1h",
            value=20,
            mean=2,
            z=9,
            fired_at=now,
            ttl_timestamp=now + timedelta(days=90),
        )
        self.do(self.service.runtime.db.run(put(fired)))
        return alert_id(fired)

    def source(self, **said: Any) -> str:
        name = f"s-{uuid4().hex[:12]}"
        body = {"name": name, "source_type": "rss", "url": f"file:{FEED}", **said}
        self.done("POST", "/sources", body)
        return name

    def job(self, state: str = "running") -> str:
        """A comparison; ``compared`` can be promoted, ``promoting`` rolled back."""
        self._rest()
        now = self.newsroom.now()
        self.newsroom.setup.forget()
        active = self.do(self.newsroom.setup.current()).active_model
        body = {
            "model_version": OTHER if active == ACTIVE else ACTIVE,
            "since": (now - timedelta(hours=1)).isoformat(),
            "until": now.isoformat(),
        }
        job_id = str(self.done("POST", "/reanalyses", body)["job_id"])
        if state != "running":
            self.do(self.newsroom.jobs.work())
        if state == "promoting":
            self.done("POST", f"/reanalyses/{job_id}/promote")
        return job_id

    def _rest(self) -> None:
        """Let all jobs come to their end: one at a time is promoted."""
        self.do(self.newsroom.jobs.work())

    def dead_message(self) -> str:
        """A message that was given up; its handle."""
        now = datetime.now(UTC)
        entry = OutboxEntry(at=now, kind="tests", subject="tests/1", place="DEAD", ended_at=now)
        stored_entry = self.do(self.service.runtime.db.run(put(entry)))
        return handle_of(stored_entry)


def told(slug: str | None = None, **more: Any) -> dict[str, Any]:
    """A record, as a program sends it."""
    slug = slug or f"ai-{uuid4().hex}"
    return {
        "title": f"AI wins a prize: {slug}",
        "text": "A good day for artificial intelligence.",
        "url": f"https://news.example/{slug}",
        "source": "Example News",
        "author": "Ada Author",
        "published_at": datetime.now(UTC).isoformat(timespec="seconds"),
        **more,
    }


@contextmanager
def world(
    *, models: Path | None = None, environ: Mapping[str, str] | None = None, **settings: Any
) -> Iterator[World]:
    """A service on an engine in this process, and what there is in it."""
    keys: dict[str, str] = {}

    async def opened(runtime: Runtime) -> None:
        for role in ROLES:
            made = await runtime.auth.api_keys.create(ADMIN, name=role, roles=[role])
            keys[role] = made[1]

    given = {**WIDE, "TABLEWRIGHT_SENTIMENT_PROMOTE_SLACK_SECS": "0", **(environ or {})}
    if models is not None:
        given["TABLEWRIGHT_SENTIMENT_MODELS_FOLDER"] = str(models)
    with Engine.memory() as engine, in_process(engine) as backend:
        options = {"environ": given, "workers": False, **settings}
        with running(system, backend, opened=opened, **options) as service:
            with service.client() as http:
                yield _filled(World(service, keys, http, Newsroom(service.runtime), engine))


def _filled(found: World) -> World:
    found.follow()
    for said in ("positive", "neutral", "negative"):
        found.articles += [found.article(said) for _ in range(2)]
    found.failed()
    found.stuck()
    found.alert()
    found.sources += [found.source() for _ in range(3)]
    return found
