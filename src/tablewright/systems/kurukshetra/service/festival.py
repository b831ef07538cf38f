"""The use cases of one process, and what they share.

Each subject is a class that keeps the :class:`Festival` and finds the others through it when it is
called; making them does no I/O. ``lifespan`` is the process's start and end.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from tablewright.service.runtime import Runtime
from tablewright.systems.kurukshetra.options import Options
from tablewright.systems.kurukshetra.privacy.opening import privacy_of
from tablewright.systems.kurukshetra.privacy.place import keys_of
from tablewright.systems.kurukshetra.service.access import Access
from tablewright.systems.kurukshetra.service.auditing import Auditing
from tablewright.systems.kurukshetra.service.certificates import Certificates
from tablewright.systems.kurukshetra.service.checkout import Checkout
from tablewright.systems.kurukshetra.service.door import Door
from tablewright.systems.kurukshetra.service.erasing import Erasing
from tablewright.systems.kurukshetra.service.events import Events
from tablewright.systems.kurukshetra.service.exports import Exports
from tablewright.systems.kurukshetra.service.gateway import Gateway
from tablewright.systems.kurukshetra.service.handover import Handover
from tablewright.systems.kurukshetra.service.jobs import Jobs
from tablewright.systems.kurukshetra.service.lists import Lists
from tablewright.systems.kurukshetra.service.mailing import Mailing
from tablewright.systems.kurukshetra.service.measuring import Measuring
from tablewright.systems.kurukshetra.service.messages import Messages
from tablewright.systems.kurukshetra.service.payments import Payments
from tablewright.systems.kurukshetra.service.people import People
from tablewright.systems.kurukshetra.service.reconciling import Reconciling
from tablewright.systems.kurukshetra.service.refunds import Refunds
from tablewright.systems.kurukshetra.service.resealing import Resealing
from tablewright.systems.kurukshetra.service.seats import Seats
from tablewright.systems.kurukshetra.service.statistics import Statistics
from tablewright.systems.kurukshetra.service.teams import Teams
from tablewright.systems.kurukshetra.service.tickets import Tickets
from tablewright.systems.kurukshetra.service.watching import Watching


class Festival:
    """Everything kurukshetra can do, in one process."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.db = runtime.db
        self.options = runtime.options(Options)
        #: Of personal data, tickets and certificates: the data folder's, or KMS's.
        self.keys = keys_of(runtime.keys, self.options)
        #: ``vault``, ``blind`` and ``masks``.
        self.privacy = privacy_of(self.keys)
        # First: others say which jobs they do.
        self.jobs = Jobs(self)
        self.measuring = Measuring(self)
        self.access = Access(self)
        self.events = Events(self)
        self.people = People(self)
        self.teams = Teams(self)
        self.seats = Seats(self)
        self.checkout = Checkout(self)
        self.gateway = Gateway(self)
        self.payments = Payments(self)
        self.refunds = Refunds(self)
        self.reconciling = Reconciling(self)
        self.tickets = Tickets(self)
        self.door = Door(self)
        self.certificates = Certificates(self)
        self.handover = Handover(self)
        self.messages = Messages(self)
        self.mailing = Mailing(self)
        self.erasing = Erasing(self)
        self.resealing = Resealing(self)
        self.lists = Lists(self)
        self.exports = Exports(self)
        self.statistics = Statistics(self)
        self.auditing = Auditing(self)
        self.watching = Watching(self)

    def now(self) -> datetime:
        """The moment, in whole seconds, which is as fine as a time is kept."""
        return datetime.fromtimestamp(int(self.runtime.clock.now()), UTC)

    def warnings(self) -> list[str]:
        """What the operator has to set although everything works."""
        settings = self.runtime.settings
        if settings.local or settings.smtp_url is not None:
            return []
        return [
            "No mail server is set: nobody gets mail. Invitations, confirmations and tickets are "
            "only written to files. Set smtp_url in [service], or TABLEWRIGHT_SMTP_URL."
        ]

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        self.measuring.open()
        await self.gateway.open()
        try:
            yield
        finally:
            await self.gateway.close()
            await self.handover.close()
