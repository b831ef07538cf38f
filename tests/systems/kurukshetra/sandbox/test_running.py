"""A sandbox as a whole: it delivers by itself over HTTP, survives a kill, and is alone."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx2
import pytest
from tests.systems.kurukshetra.sandbox.support import (
    Merchant,
    a_payment,
    all_of,
    balance,
    check_books,
    told,
)

from tablewright.clock import SystemClock
from tablewright.service import stand_ins
from tablewright.systems.kurukshetra.gateway import Razorpay
from tablewright.systems.kurukshetra.sandbox import Bank, SandboxSettings, sandbox
from tablewright.systems.kurukshetra.sandbox.courier import Courier

_CHILD = """
import sys
from pathlib import Path
from tablewright.systems.kurukshetra.sandbox import SandboxSettings
from tablewright.systems.kurukshetra.sandbox.running import run
settings = SandboxSettings(path=Path(sys.argv[1]), webhook_url=sys.argv[2])
run(settings, port=0, ready=lambda url: print(url, flush=True))
"""


class Shop(ThreadingHTTPServer):
    """A merchant that can be reached."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Taking)
        self.merchant = Merchant(SandboxSettings())


class _Taking(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Shop

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = self.server.merchant(self.path, body, dict(self.headers.items()))
        self.send_response(status or 500)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def shop() -> Iterator[tuple[Merchant, str]]:
    server = Shop()
    with stand_ins.serving(server) as url:
        yield server.merchant, f"{url}/hook"


def wait_until(merchant: Merchant, count: int) -> None:
    ends = time.monotonic() + 10
    while len(merchant.seen) < count:
        assert time.monotonic() < ends, f"{len(merchant.seen)} of {count}"
        time.sleep(0.01)


def test_it_delivers_by_itself(shop: tuple[Merchant, str]) -> None:
    merchant, url = shop
    with sandbox(SandboxSettings(webhook_url=url)) as gateway:
        a_payment(gateway.bank)
        wait_until(merchant, 3)
        assert merchant.balance() == balance(gateway.bank) == 99900


def test_what_waits_is_delivered_after_a_restart(
    tmp_path: Path, shop: tuple[Merchant, str]
) -> None:
    merchant, url = shop
    kept = SandboxSettings(path=tmp_path / "deep" / "sandbox.db", webhook_url=url)
    with sandbox(kept, deliver=False) as gateway:
        payment_id = a_payment(gateway.bank)
    with sandbox(kept) as gateway:
        assert gateway.bank.payment(payment_id)["captured"]
        wait_until(merchant, 3)
        # Ids go on where they were.
        assert a_payment(gateway.bank) != payment_id


def test_a_file_has_one_sandbox(tmp_path: Path) -> None:
    kept = SandboxSettings(path=tmp_path / "sandbox.db")
    with sandbox(kept):
        with pytest.raises(RuntimeError, match="another sandbox"):
            Bank(kept, SystemClock())
    with sandbox(kept):
        pass


@contextmanager
def child(path: Path, hook: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-c", _CHILD, str(path), hook]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


class Payer:
    """Pays and is refunded until the gateway is gone; knows what was acknowledged."""

    def __init__(self) -> None:
        self.paid: list[str] = []
        self.refunded: dict[str, str] = {}
        #: Asked for, perhaps without an answer.
        self.wanted: dict[str, str] = {}

    async def live(self, url: str, name: str) -> None:
        client = Razorpay(SandboxSettings().credentials, base_url=url)
        number = 0
        try:
            async with httpx2.AsyncClient(base_url=url) as browser:
                while True:
                    number += 1
                    await self._once(client, browser, f"{name}-{number:06}-refund")
        finally:
            await client.close()

    async def _once(self, client: Razorpay, browser: httpx2.AsyncClient, key: str) -> None:
        order = await client.create_order(1000, "INR", key)
        answer = await browser.post(f"/checkout/{order.id}/succeed", json={})
        payment_id = answer.json()["razorpay_payment_id"]
        self.paid.append(payment_id)
        self.wanted[key] = payment_id
        made = await client.create_refund(payment_id, 400, key)
        self.refunded[key] = made.id

    def until_killed(self, process: subprocess.Popen[str], url: str, name: str) -> None:
        enough = len(self.paid) + 10

        def kill() -> None:
            while len(self.paid) < enough and process.poll() is None:
                time.sleep(0.001)
            os.kill(process.pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()

        async def lives() -> None:
            lives = (self.live(url, f"{name}-{which}") for which in range(3))
            await asyncio.gather(*lives, return_exceptions=True)

        asyncio.run(lives())
        killer.join()

    async def ask_again(self, url: str) -> None:
        client = Razorpay(SandboxSettings().credentials, base_url=url)
        try:
            for key, payment_id in self.wanted.items():
                made = await client.create_refund(payment_id, 400, key)
                assert self.refunded.setdefault(key, made.id) == made.id
        finally:
            await client.close()


@pytest.mark.slow
def test_what_was_acknowledged_survives_a_kill(tmp_path: Path, shop: tuple[Merchant, str]) -> None:
    merchant, hook = shop
    path = tmp_path / "sandbox.db"
    payer = Payer()
    for number in range(2):
        with child(path, hook) as (process, url):
            payer.until_killed(process, url, f"life-{number}")
    with child(path, hook) as (process, url):
        asyncio.run(payer.ask_again(url))
        process.terminate()
        assert process.wait(10) == 0
    assert len(payer.paid) >= 20
    with closing(Bank(SandboxSettings(path=path), SystemClock())) as made:
        check_books(made)
        Courier(made, hook, merchant).deliver_due()
        assert {each["id"] for each in all_of(made, "payments")} >= set(payer.paid)
        assert {each["id"] for each in all_of(made, "refunds")} == set(payer.refunded.values())
        assert len(merchant.seen) == told(made).total()
        assert merchant.balance() == balance(made)
