"""One service for the tests of a module, and browsers of people and of nobody."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.console.support import Browser
from tests.systems.ladders.pages.support import Office, pages_of, signed_in

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


@pytest.fixture(scope="module")
def ines(office: Office) -> Iterator[Browser]:
    """An admin."""
    with signed_in(office, "ines") as browser:
        yield browser


@pytest.fixture(scope="module")
def omar(office: Office) -> Iterator[Browser]:
    """A manager."""
    with signed_in(office, "omar") as browser:
        yield browser


@pytest.fixture(scope="module")
def judith(office: Office) -> Iterator[Browser]:
    """Another manager."""
    with signed_in(office, "judith") as browser:
        yield browser


@pytest.fixture(scope="module")
def lina(office: Office) -> Iterator[Browser]:
    """A member."""
    with signed_in(office, "lina") as browser:
        yield browser


@pytest.fixture(scope="module")
def mateo(office: Office) -> Iterator[Browser]:
    """Another member."""
    with signed_in(office, "mateo") as browser:
        yield browser


@pytest.fixture
def visitor(office: Office) -> Iterator[Browser]:
    """Somebody who has not signed in."""
    with signed_in(office) as browser:
        yield browser
