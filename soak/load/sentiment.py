"""Programs that send articles, people who read them, and some who know better."""

from __future__ import annotations

from itertools import count

from benchmarks.sentiment.news import records

from soak.load.driver import Driver
from tablewright.systems.sentiment.live_demo.cast import TOPICS

BATCH = 4


class Sentiment(Driver):
    system = "sentiment"

    async def prepare(self) -> None:
        admin = self.admin()
        for topic in TOPICS:
            await self.done("POST", "/watch", topic.model_dump(exclude_defaults=True), token=admin)
        self.news = records()
        self.numbers = count()

    async def step(self) -> None:
        kinds = {
            self._send: 50,
            self._overview: 15,
            self._read: 15,
            self._judge: 12,
            self._topic: 8,
        }
        (kind,) = self.chance.choices(list(kinds), list(kinds.values()))
        await kind()

    async def _send(self) -> None:
        some = [next(self.news) for _ in range(BATCH)]
        body = {"source_type": "file", "records": some}
        reply = await self.ask("POST", "/ingest", body, token=self.admin())
        if not reply.known and self.chance.random() < 0.7:
            reply = await self.surely("POST", "/ingest", body, token=self.admin())
        results = reply.body["results"] if reply.ok else [{}] * len(some)
        for record, result in zip(some, results, strict=True):
            told = result.get("result", "")
            stored = told in ("ingested", "duplicate", "tagged")
            outcome = "refused" if reply.ok and not stored else reply.outcome
            self.note("article", record["url"], outcome, told=told)

    async def _overview(self) -> None:
        await self.ask("GET", "/overview", token=self.admin())

    async def _read(self) -> None:
        await self.ask("GET", "/items?limit=20", token=self.admin())

    async def _judge(self) -> None:
        """Somebody says that an article has another tone."""
        token = self.issuer.token("soak-analyst", "sentiment:analyst", at=self.now())
        listed = await self.done("GET", "/items?limit=20", token=token)
        done = [each for each in listed["items"] if each.get("sentiment")]
        if not done:
            return
        article = self.chance.choice(done)["id"]
        found = await self.ask("GET", f"/items/{article}", token=token)
        if not found.ok:
            return
        tone = self.chance.choice(("positive", "neutral", "negative"))
        body = {"sentiment": tone, "reason": "Read it twice."}
        path, etag = f"/items/{article}/override", found.headers.get("etag", "*")
        reply = await self.ask("PUT", path, body, token=token, If_Match=etag)
        self.note("override", article, reply.outcome, tone=tone)

    async def _topic(self) -> None:
        tag = f"soak-{next(self.numbers)}"
        body = {"tag": tag, "any": [f"word{self.chance.randrange(1000)}"]}
        reply = await self.ask("POST", "/watch", body, token=self.admin())
        self.audited(reply, "topic.create", f"topic/{tag}")
        if reply.ok and self.chance.random() < 0.8:
            reply = await self.ask("DELETE", f"/watch/{tag}", token=self.admin())
            self.audited(reply, "topic.delete", f"topic/{tag}")
