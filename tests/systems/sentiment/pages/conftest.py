"""One service for the tests of a module, and browsers of the four roles."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.console.support import Browser
from tests.systems.sentiment.pages.support import Office, as_role, pages_of

from tablewright.console.assets import Assets
from tablewright.engine import Engine
from tablewright.testing.backends import in_process


@pytest.fixture(scope="session", autouse=True)
def _assets() -> None:
    if lacking := Assets().missing:
        pytest.skip(f"the console's assets are missing ({', '.join(lacking)}): make assets")


@pytest.fixture(scope="module")
def office() -> Iterator[Office]:
    with Engine.memory() as engine, in_process(engine) as backend, pages_of(backend) as made:
        yield made


@pytest.fixture
def admin(office: Office) -> Iterator[Browser]:
    with as_role(office, "admin") as browser:
        yield browser


@pytest.fixture
def operator(office: Office) -> Iterator[Browser]:
    with as_role(office, "operator") as browser:
        yield browser


@pytest.fixture
def analyst(office: Office) -> Iterator[Browser]:
    with as_role(office, "analyst") as browser:
        yield browser


@pytest.fixture
def viewer(office: Office) -> Iterator[Browser]:
    with as_role(office, "viewer") as browser:
        yield browser
