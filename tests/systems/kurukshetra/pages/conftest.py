"""One service for the tests of a module, and browsers of people and of nobody."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.console.support import Browser
from tests.systems.kurukshetra.pages.support import Ground, pages_of, signed_in

from tablewright.console.assets import Assets
from tablewright.engine import Engine
from tablewright.testing.backends import in_process


@pytest.fixture(scope="session", autouse=True)
def _assets() -> None:
    if lacking := Assets().missing:
        pytest.skip(f"the console's assets are missing ({', '.join(lacking)}): make assets")


@pytest.fixture(scope="module")
def ground() -> Iterator[Ground]:
    with Engine.memory() as engine, in_process(engine) as backend, pages_of(backend) as made:
        yield made


@pytest.fixture
def asha(ground: Ground) -> Iterator[Browser]:
    with signed_in(ground, "asha") as browser:
        yield browser


@pytest.fixture
def ravi(ground: Ground) -> Iterator[Browser]:
    with signed_in(ground, "ravi") as browser:
        yield browser


@pytest.fixture
def meera(ground: Ground) -> Iterator[Browser]:
    with signed_in(ground, "meera") as browser:
        yield browser


@pytest.fixture
def visitor(ground: Ground) -> Iterator[Browser]:
    """Somebody who has not signed in."""
    with signed_in(ground) as browser:
        yield browser
