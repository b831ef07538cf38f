"""One service for the tests of a module, and browsers of the roles and of nobody."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.console.support import Browser
from tests.systems.vibejudge.pages.support import Court, as_role, pages_of

from tablewright.console.assets import Assets
from tablewright.engine import Engine
from tablewright.testing.backends import in_process


@pytest.fixture(scope="session", autouse=True)
def _assets() -> None:
    if lacking := Assets().missing:
        pytest.skip(f"the console's assets are missing ({', '.join(lacking)}): make assets")


@pytest.fixture(scope="module")
def court() -> Iterator[Court]:
    with Engine.memory() as engine, in_process(engine) as backend, pages_of(backend) as made:
        yield made


@pytest.fixture
def organizer(court: Court) -> Iterator[Browser]:
    with as_role(court, "organizer") as browser:
        yield browser


@pytest.fixture
def admin(court: Court) -> Iterator[Browser]:
    with as_role(court, "admin") as browser:
        yield browser


@pytest.fixture
def judge(court: Court) -> Iterator[Browser]:
    with as_role(court, "judge") as browser:
        yield browser


@pytest.fixture
def visitor(court: Court) -> Iterator[Browser]:
    """Somebody who has not signed in."""
    with as_role(court, "") as browser:
        yield browser
