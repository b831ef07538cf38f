"""A sandbox that runs: within a test, beside the demo, or as a process of its own."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass

from tablewright.clock import Clock, SystemClock
from tablewright.service import stand_ins
from tablewright.systems.kurukshetra.gateway.client import Razorpay
from tablewright.systems.kurukshetra.gateway.credentials import Credentials
from tablewright.systems.kurukshetra.sandbox.bank import Bank
from tablewright.systems.kurukshetra.sandbox.courier import Courier, HttpPost, Post
from tablewright.systems.kurukshetra.sandbox.faults import Faults
from tablewright.systems.kurukshetra.sandbox.server import Server
from tablewright.systems.kurukshetra.sandbox.settings import SandboxSettings


@dataclass(frozen=True)
class Running:
    """A sandbox, and where it can be asked."""

    url: str
    bank: Bank
    faults: Faults
    courier: Courier | None

    @property
    def credentials(self) -> Credentials:
        return self.bank.settings.credentials

    def client(self, *, timeout: float = 10.0) -> Razorpay:
        """A client with the right keys; whoever takes it closes it."""
        return Razorpay(self.credentials, base_url=self.url, timeout=timeout)

    def deliver(self) -> int:
        """Deliver what is due by now, for a test that moves the clock itself."""
        return self.courier.deliver_due() if self.courier is not None else 0


@contextmanager
def sandbox(
    settings: SandboxSettings | None = None,
    *,
    clock: Clock | None = None,
    port: int = 0,
    deliver: bool = True,
    post: Post | None = None,
) -> Iterator[Running]:
    """A sandbox at a port of this machine; 0 takes a free one.

    With ``deliver=False`` nothing is delivered but by :meth:`Running.deliver`.
    """
    settings = settings or SandboxSettings()
    with ExitStack() as stack:
        bank = stack.enter_context(closing(Bank(settings, clock or SystemClock())))
        faults = Faults(bank.chance, settings.misbehaviour.fail)
        courier = _courier(bank, post, stack)
        url = stack.enter_context(stand_ins.serving(Server(bank, faults, port)))
        if courier is not None and deliver:
            stack.enter_context(_working(courier))
        yield Running(url, bank, faults, courier)


def run(
    settings: SandboxSettings,
    *,
    port: int,
    ready: Callable[[str], None],
    clock: Clock | None = None,
) -> None:
    """A sandbox until the process is asked to end; ``ready`` gets its address."""
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    with sandbox(settings, clock=clock, port=port) as running:
        ready(running.url)
        stopped.wait()


def _courier(bank: Bank, post: Post | None, stack: ExitStack) -> Courier | None:
    url = bank.settings.webhook_url
    if url is None:
        return None
    return Courier(bank, url, post or stack.enter_context(closing(HttpPost())))


@contextmanager
def _working(courier: Courier) -> Iterator[None]:
    stopped = threading.Event()
    thread = threading.Thread(
        target=courier.run, args=(stopped,), name="sandbox's courier", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()
