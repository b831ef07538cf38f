"""The gallery, running with its console."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.console.gallery import WRONG
from tests.console.support import Browser, gallery, signed_in, stand_in
from tests.service.support import Running

from tablewright.console.assets import Assets
from tablewright.engine import Engine
from tablewright.testing.backends import in_process


@pytest.fixture(scope="session")
def assets(tmp_path_factory: pytest.TempPathFactory) -> Assets:
    return stand_in(tmp_path_factory.mktemp("static"))


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
def keeper(service: Running) -> Iterator[Browser]:
    """The browser of somebody who may do everything."""
    with signed_in(service, "demo-keeper") as browser:
        yield browser


@pytest.fixture(autouse=True)
def _nothing_wrong() -> Iterator[None]:
    yield
    WRONG["text"] = ""
