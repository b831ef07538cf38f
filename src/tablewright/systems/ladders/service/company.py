"""The use cases of one process, and what they share.

Each subject is a class that keeps the :class:`Company` and finds the others through it when it is
called; making them does no I/O. ``lifespan`` is the process's start and end.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from tablewright.service.runtime import Runtime
from tablewright.systems.ladders.options import Options
from tablewright.systems.ladders.service.assessments import Assessments
from tablewright.systems.ladders.service.auditing import Auditing
from tablewright.systems.ladders.service.boards import Boards
from tablewright.systems.ladders.service.configs import Configs
from tablewright.systems.ladders.service.exports import Exports
from tablewright.systems.ladders.service.growth import Growth
from tablewright.systems.ladders.service.messages import Messages
from tablewright.systems.ladders.service.people import People
from tablewright.systems.ladders.service.plans import Plans
from tablewright.systems.ladders.service.reminders import Reminders
from tablewright.systems.ladders.service.reports import Reports
from tablewright.systems.ladders.service.tasks import Tasks
from tablewright.systems.ladders.service.teams import Teams


class Company:
    """Everything ladders can do, in one process."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.db = runtime.db
        self.options = runtime.options(Options)
        self.people = People(self)
        self.teams = Teams(self)
        self.configs = Configs(self)
        self.plans = Plans(self)
        self.boards = Boards(self)
        self.reminders = Reminders(self)
        self.assessments = Assessments(self)
        self.tasks = Tasks(self)
        self.reports = Reports(self)
        self.growth = Growth(self)
        self.exports = Exports(self)
        self.messages = Messages(self)
        self.auditing = Auditing(self)

    def now(self) -> datetime:
        """The moment, in whole milliseconds, which is as fine as a time is kept."""
        return datetime.fromtimestamp(int(self.runtime.clock.now() * 1000) / 1000, UTC)

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        yield
