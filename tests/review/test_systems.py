"""The five systems: nothing is found in what ships but what is accepted, and that quickly."""

from __future__ import annotations

import time

import pytest

from tablewright.cli.models import find_model
from tablewright.cli.review import suppressions_of
from tablewright.model.demo import Demo
from tablewright.review import Design, review
from tablewright.review.from_model import design_of
from tablewright.systems import NAMES


def design(name: str) -> Design:
    named = find_model(name)
    accepted = suppressions_of(f"tablewright.systems.{name}.model")
    return design_of(named.model, Demo(named.items, named.calls), accepted)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_found_but_what_is_accepted(name: str) -> None:
    report = review(design(name))
    assert [f"{each.code} {each.place}: {each.message}" for each in report.findings] == []
    assert report.idle == (), "what they were for is gone"


@pytest.mark.parametrize("name", NAMES)
def test_every_write_is_seen(name: str) -> None:
    """Each pattern has a sample call, so that no rule about conditions is blind."""
    patterns = design(name).patterns
    assert patterns
    assert [each.name for each in patterns if each.opaque] == []


@pytest.mark.parametrize("name", NAMES)
def test_it_takes_less_than_half_a_second(name: str) -> None:
    model = design(name)
    review(model)
    times = []
    for _ in range(3):
        # Not by the clock on the wall: the machine may be busy with something else.
        begun = time.process_time()
        review(model)
        times.append(time.process_time() - begun)
    assert min(times) < 0.5
