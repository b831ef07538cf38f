"""A run: everything is started, used and disturbed, comes to rest, and is checked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import httpx2 as httpx
from benchmarks.vibejudge.repositories import repositories

from soak import checking, image
from soak.disk import Disk
from soak.disturbances import Disturbance
from soak.image import Image
from soak.invariants.finding import Finding, gathered
from soak.issuer import issuing
from soak.journal import Journal
from soak.load.driver import Driver, Interrupted
from soak.load.kurukshetra import Kurukshetra
from soak.load.ladders import Ladders
from soak.load.pricekeeper import Pricekeeper
from soak.load.sentiment import Sentiment
from soak.load.vibejudge import Vibejudge
from soak.place import SYSTEMS, Place, free_port
from soak.proxy import proxying
from soak.timetable import stages, turns
from tablewright.clock import FileClock
from tablewright.systems.kurukshetra.sandbox import Misbehaviour, SandboxSettings, sandbox
from tablewright.systems.vibejudge.stand_in import StandIn, serving

_RECOVERY_SECS = 150.0
#: Between the end of one disturbance and the next.
_CALM_SECS = (4.0, 9.0)
#: The gateway is no better than a real one.
_GATEWAY = Misbehaviour(delay=0.1, delay_secs=20, duplicate=0.2, reorder=0.1, drop=0.05, fail=0.03)


@dataclass(frozen=True)
class Happened:
    """A disturbance, and how long it took until all systems took writes again after its end."""

    name: str
    shape: str
    note: str
    secs: float
    recovery_secs: float


@dataclass
class Result:
    """What a run came to."""

    seed: int
    secs: float
    disk: str
    journal: Journal
    happened: list[Happened]
    findings: list[Finding]
    started: float
    steps: dict[str, float] = field(default_factory=dict)

    @property
    def violations(self) -> int:
        return sum(len(each.violations) for each in self.findings)


class Run:
    """One of them, in a folder of its own."""

    def __init__(self, folder: Path, disk: Disk, seed: int, say: Any = print) -> None:
        self.folder = folder
        self.disk = disk
        self.seed = seed
        self.chance = Random(seed)
        self.journal = Journal(folder / "journal.jsonl")
        self.happened: list[Happened] = []
        self.findings: list[Finding] = []
        self.before: Image | None = None
        self._say = say
        self._gate = asyncio.Event()

    async def run(self, seconds: float, only: Sequence[Disturbance] | None = None) -> Result:
        """``only``: each of these once, in this shape, instead of what the timetable says."""
        began, started = time.monotonic(), time.time()
        async with self._opened() as (place, drivers):
            await place.start()
            await place.ready()
            await asyncio.gather(*(each.prepare() for each in drivers))
            self._say(f"all five are set up after {time.monotonic() - began:.0f} s")
            ends = time.monotonic() + seconds
            async with self._used(drivers):
                if only is None:
                    await self._stages(place, ends)
                else:
                    await self._some(place, only, ends)
            quiet = await self._settled(place, drivers)
            await place.stop()
            place.clock.advance(2 * 3600)  # the hours of the run are over
            self._say("all is quiet; checking everything")
            gateway = self._captured()
            self.findings += await checking.final(place, self.journal, gateway, self.before, quiet)
        return Result(
            self.seed,
            time.monotonic() - began,
            self.disk.kind,
            self.journal,
            self.happened,
            gathered(self.findings),
            started,
        )

    # --- who is there ----------------------------------------------------------------------------

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[tuple[Place, list[Driver]]]:
        """Everybody, until the block ends."""
        async with AsyncExitStack() as stack:
            issuer = stack.enter_context(issuing())
            proxy = await stack.enter_async_context(proxying(free_port()))
            http = await stack.enter_async_context(httpx.AsyncClient(timeout=30))
            port, clock = free_port(), FileClock(self.folder / "clock")
            hook = f"http://127.0.0.1:{port}/kurukshetra/api/v1/payment/webhook"
            settings = SandboxSettings(webhook_url=hook, seed=self.seed, misbehaviour=_GATEWAY)
            self._bank = stack.enter_context(sandbox(settings, clock=clock))
            models = stack.enter_context(serving(StandIn()))
            made = await asyncio.to_thread(repositories, 6, 300)
            told = {
                "TABLEWRIGHT_KURUKSHETRA_SANDBOX_URL": self._bank.url,
                "TABLEWRIGHT_VIBEJUDGE_ALLOW_LOCAL_PATHS": "true",
                "TABLEWRIGHT_VIBEJUDGE_LOCAL_ROOT": str(made[0].parent),
                "TABLEWRIGHT_VIBEJUDGE_ALLOW_LOCAL_SERVERS": "true",
                "TABLEWRIGHT_VIBEJUDGE_OPENAI_URL": f"{models}/v1",
                "TABLEWRIGHT_VIBEJUDGE_OPENAI_KEY": "stand-in",
                "TABLEWRIGHT_VIBEJUDGE_PROCESSES": "1",
                # What a killed process was at is begun again after that.
                "TABLEWRIGHT_VIBEJUDGE_LEASE_SECS": "20",
            }
            place = Place(self.disk, issuer, proxy, told, self.folder, port)
            stack.callback(place.sweep)
            http.base_url = httpx.URL(place.url)
            Vibejudge.repositories = made
            Kurukshetra.gateway = self._bank.url
            kinds: Sequence[type[Driver]] = (
                Pricekeeper,
                Sentiment,
                Vibejudge,
                Kurukshetra,
                Ladders,
            )
            yield place, [kind(place, self.journal, http, self.seed) for kind in kinds]

    def _captured(self) -> list[dict[str, Any]]:
        """All payments that the gateway has."""
        found: list[dict[str, Any]] = []
        while True:
            page = self._bank.bank.payments({"count": "100", "skip": str(len(found))})["items"]
            found += page
            if not page:
                return found

    # --- load ------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _used(self, drivers: Sequence[Driver]) -> AsyncIterator[None]:
        """Everybody uses everything, until the block ends; what was begun is brought to its end."""
        self._gate.set()
        self._open = True
        self._clients = [
            asyncio.ensure_future(self._client(driver))
            for driver in drivers
            for _ in range(driver.clients)
        ]
        try:
            yield
        finally:
            self._open = False
            self._gate.set()
            await asyncio.gather(*self._clients)

    async def _client(self, driver: Driver) -> None:
        while self._open:
            await self._gate.wait()
            try:
                await driver.step()
            except Interrupted:
                await asyncio.sleep(driver.pause_secs)
            await asyncio.sleep(driver.pause_secs * driver.chance.uniform(0.5, 1.5))

    # --- disturbances ----------------------------------------------------------------------------

    async def _stages(self, place: Place, ends: float) -> None:
        order = turns(self.chance)
        began = time.monotonic()
        for shape, secs in stages(ends - began):
            if place.shape != shape:
                await self._moved(place, shape)
            began += secs
            while time.monotonic() < min(began, ends):
                await asyncio.sleep(self.chance.uniform(*_CALM_SECS))
                await self._disturbed(place, next(order[shape]))

    async def _some(self, place: Place, only: Sequence[Disturbance], ends: float) -> None:
        pause = max(0.0, ends - time.monotonic()) / (len(only) + 1)
        for each in only:
            await asyncio.sleep(pause)
            await self._disturbed(place, each)
        await asyncio.sleep(max(0.0, min(pause, ends - time.monotonic())))

    async def _moved(self, place: Place, shape: Any) -> None:
        began = time.monotonic()
        await place.change(shape)
        await place.ready()
        took = await self._recovered()
        name = "stopped, and started as " + ("one process" if shape == "embedded" else "two")
        self._happened(Happened(name, shape, "", time.monotonic() - began - took, took))

    async def _disturbed(self, place: Place, what: Disturbance) -> None:
        began = time.monotonic()
        note = await what.happen(place, self.chance)
        # Starting again is part of the recovery.
        ended = place.killed if place.killed > began else time.monotonic()
        await self._recovered()
        took = time.monotonic() - ended
        self._happened(Happened(what.name, place.shape, note, ended - began, took))
        await self._looked(place)

    def _happened(self, what: Happened) -> None:
        self.happened.append(what)
        self._say(
            f"{what.name} ({what.shape}) {what.note}: {what.secs:.1f} s, "
            f"recovered after {what.recovery_secs:.1f} s"
        )

    async def _recovered(self) -> float:
        """How long until every system has acknowledged a write again."""
        began = time.monotonic()
        while time.monotonic() - began < _RECOVERY_SECS:
            for each in self._clients:
                if each.done():  # a mistake of ours: nothing would ever recover
                    each.result()
            if all(self.journal.wrote.get(system, 0) > began for system in SYSTEMS):
                return time.monotonic() - began
            await asyncio.sleep(0.1)
        late = [each for each in SYSTEMS if self.journal.wrote.get(each, 0) <= began]
        for system in late:
            self.journal.complain(system, f"no write was taken for {_RECOVERY_SECS:.0f} s")
        return _RECOVERY_SECS

    async def _looked(self, place: Place) -> None:
        """What can be checked while it runs; people wait for a moment."""
        self._gate.clear()
        try:
            await asyncio.sleep(0.5)
            with image.at(place.wire) as call:
                found, findings = await asyncio.to_thread(checking.live, call, self.before)
        finally:
            self._gate.set()
        self.before = found
        self.findings += findings
        for each in findings:
            for wrong in each.violations:
                self._say(f"VIOLATED {each.what}: {wrong[:500]}")

    # --- rest ------------------------------------------------------------------------------------

    async def _settled(self, place: Place, drivers: Sequence[Driver]) -> Image | None:
        """What is there once all that takes its time has come to its end; None if it never does,
        and is found later."""
        self._say("nobody uses it any more; waiting until it is quiet")
        await asyncio.gather(*(each.settle() for each in drivers))
        for number in range(40):
            # What is tried again later is due by then; leases and sweeps need time in between.
            if number % 15 == 0:
                place.clock.advance(900)
            await asyncio.sleep(5)
            with image.at(place.wire) as call:
                found = await asyncio.to_thread(image.read, call)
            delivered = checking.messages(place.data / "outbox" / "messages.jsonl")
            left = checking.in_time(found, delivered, self._captured())
            if not any(each.violations for each in left):
                return found
        for each in left:
            for wrong in each.violations[:3]:
                self._say(f"it does not come to rest: {each.what}: {wrong[:300]}")
        return None
