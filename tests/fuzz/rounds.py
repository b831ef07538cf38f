"""A pytest plugin that runs tests again and again, each round with the next seed, until time is up.

    python -m pytest -p tests.fuzz.rounds --fuzz-seed=1 --fuzz-seconds=60 tests/engine/...

Only tests that can try something else are kept: those of Hypothesis, and those that ask for the
fixture ``fuzz_seed``. Without ``--fuzz-seconds`` there is one round, which is how a failure is
repeated: everything random in a test comes from the seed, and neither from the order of tests nor
from what earlier runs have left. `make fuzz` runs this for every target.
"""

from __future__ import annotations

import random
import shlex
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from itertools import chain, pairwise

import pytest
from hypothesis import core, is_hypothesis_test, settings

# Before any test makes its own settings from these: a remembered failure has another seed, and on
# machines that are taken for a CI system Hypothesis would try the same each time.
settings.register_profile("fuzz", database=None, derandomize=False)
settings.load_profile("fuzz")


@dataclass
class Rounds:
    """What was run, and what failed with which seed."""

    seed: int
    seconds: float
    until: float = 0.0
    runs: int = 0
    current: int = 0
    failures: list[tuple[str, int]] = field(default_factory=list)

    def turns(self, items: list[pytest.Item]) -> Iterator[tuple[int, pytest.Item]]:
        """Every test with a seed; the first round is whole unless time is short."""
        self.until = time.monotonic() + self.seconds
        seed = self.seed
        while items:
            # Whoever is cut off by the end of time is another one each time.
            for item in random.Random(seed).sample(items, len(items)):
                yield seed, item
                if self.seconds and time.monotonic() > self.until:
                    return
            if not self.seconds:
                return
            seed += 1

    def run(self, seed: int, item: pytest.Item, following: pytest.Item | None) -> None:
        self.current = seed
        core.global_force_seed = seed
        random.seed(seed)
        # What follows may be the same test, whose own fixtures have to end all the same: what is
        # kept is what they share above it.
        kept = following.parent if following else None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=kept)
        self.runs += 1


_ROUNDS = pytest.StashKey[Rounds]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("fuzz")
    group.addoption("--fuzz-seed", type=int, default=1, help="the seed of the first round")
    group.addoption("--fuzz-seconds", type=float, default=0.0, help="how long; 0 is one round")


def pytest_configure(config: pytest.Config) -> None:
    seconds = config.getoption("--fuzz-seconds")
    config.stash[_ROUNDS] = Rounds(config.getoption("--fuzz-seed"), seconds)


def seed_of(config: pytest.Config) -> int:
    """What a test has to make its random things from."""
    return config.stash[_ROUNDS].current


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept = [item for item in items if _varies(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


def _varies(item: pytest.Item) -> bool:
    if not isinstance(item, pytest.Function):
        return False
    return is_hypothesis_test(item.obj) or "fuzz_seed" in item.fixturenames


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    if session.testsfailed:
        raise session.Interrupted(f"{session.testsfailed} errors while collecting")
    if session.config.option.collectonly:
        return True
    rounds = session.config.stash[_ROUNDS]
    # The next test is known before one is run: what both need is kept for it.
    for turn, following in pairwise(chain(rounds.turns(session.items), [None])):
        assert turn is not None
        rounds.run(*turn, following[1] if following else None)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    rounds = item.config.stash[_ROUNDS]
    if report.failed:
        rounds.failures.append((item.nodeid, rounds.current))
    return report


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    rounds = config.stash[_ROUNDS]
    terminalreporter.write_line(f"seeds {rounds.seed} to {rounds.current}, {rounds.runs} runs")
    for node, seed in rounds.failures:
        command = f"python -m pytest -p tests.fuzz.rounds --fuzz-seed={seed} {shlex.quote(node)}"
        terminalreporter.write_line(f"repeat: {command}")
