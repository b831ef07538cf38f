"""The REST APIs of the five systems, a few operations of one in a round, by `make fuzz`.

Requests are made from the OpenAPI document with what there is put into them, as in each system's
own ``test_openapi``. Ids and moments are other ones each time: the seed repeats what is asked and
by whom, and the failure shows the request as it was sent.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator

import pytest
from tests.service.seeded_probing import Prober

SYSTEMS = ("pricekeeper", "sentiment", "vibejudge", "kurukshetra", "ladders")
#: How many operations a round has, and how many requests each of them gets.
OPERATIONS, EXAMPLES = 4, 8


@pytest.fixture(scope="module", params=SYSTEMS)
def probing(request: pytest.FixtureRequest) -> Iterator[tuple[Prober, list[str]]]:
    """A whole service, and the operations that end."""
    folder = f"tests.systems.{request.param}"
    tests = importlib.import_module(f"{folder}.test_openapi")
    names = getattr(tests, "PROBED", sorted(tests.MAY))
    with importlib.import_module(f"{folder}.api_world").world() as world:
        yield importlib.import_module(f"{folder}.api_probing").prober(world), names


@pytest.mark.slow
def test_fresh_requests(probing: tuple[Prober, list[str]], fuzz_seed: int) -> None:
    prober, names = probing
    operations = prober.operations()
    for name in random.Random(fuzz_seed).sample(names, min(OPERATIONS, len(names))):
        prober.probe(name, operations[name], EXAMPLES, seed=False)
