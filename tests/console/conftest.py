"""The gallery, running with its console."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.console.gallery import WRONG
from tests.console.support import gallery, signed_in
from tests.service.support import Running

from tablewright.console.assets import Assets
from tablewright.engine import Engine
from tablewright.testing.backends import in_process


@pytest.fixture(scope="session")
def assets() -> Assets:
    """What npm brought; tests of whole pages need it."""
    found = Assets()
    if found.missing:
        pytest.skip(f"the console's assets are missing ({', '.join(found.missing)}): make assets")
    return found


@pytest.fixture(scope="module")
def service(assets: Assets) -> Iterator[Running]:
    """One for all tests of a module; seven paintings hang."""
    with (
        Engine.memory() as engine,
        in_process(engine) as backend,
        gallery(backend, paintings=7, assets=assets) as running,
    ):
        yield running


@pytest.fixture
def keeper(service: Running) -> Iterator[object]:
    """The browser of somebody who may do everything."""
    with signed_in(service, "demo-keeper") as browser:
        yield browser


@pytest.fixture(autouse=True)
def _nothing_wrong() -> Iterator[None]:
    yield
    WRONG["text"] = ""
