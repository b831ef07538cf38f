"""Fingerprints: copies are found whatever they are dressed in, and nothing else is."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest
from tests.systems.vibejudge.static.support import snapshot_of

from tablewright.systems.vibejudge.rules.minhash import (
    LEAST_RUNS,
    PLACES,
    alike,
    fingerprint,
    minhash,
    similarity,
)


def program(seed: int, functions: int = 40) -> str:
    chosen = random.Random(seed)

    def word() -> str:
        return "".join(chosen.choices("abcdefghij", k=6))

    return "\n".join(
        f"def {word()}({word()}, {word()}):\n"
        f"    {word()} = {word()}({word()}) + {chosen.randint(1, 99)}\n"
        f"    # about {word()}\n"
        f"    if {word()} > {word()}.{word()}:\n"
        f"        return '{word()}'\n"
        f"    return {word()}[{word()}]\n"
        for _ in range(functions)
    )


def of(*texts: str, name: str = "app") -> bytes:
    return fingerprint(snapshot_of({f"{name}{n}.py": text for n, text in enumerate(texts)}))


def test_a_copy_in_another_dress_is_the_same() -> None:
    own = program(1)
    lines = own.replace("    ", "\t").split("\n")
    dressed = "\n\n".join(line if "#" not in line else "\t# mine" for line in lines)
    dressed = dressed.replace("return '", "return 'Hello ")
    assert similarity(of(own), of(dressed, name="other")) == 1
    assert similarity(of(own), of(program(2))) < Decimal("0.1")


@pytest.mark.parametrize("common", [10, 24, 36])
def test_it_tells_the_share_that_is_common(common: int) -> None:
    parts = [program(seed, 3) for seed in range(100)]
    mine, other = parts[:40], parts[40 - common : 80 - common]
    expected = common / (80 - common)
    assert abs(float(similarity(of(*mine), of(*other))) - expected) < 0.12


def test_others_code_tests_and_next_to_nothing_do_not_count() -> None:
    own = program(1)
    plain = of(own)
    more: dict[str, str | None] = {
        "app0.py": own,
        "node_modules/x/index.js": "var a = 1;\n" * 500,
        "tests/test_app.py": program(9),
    }
    assert fingerprint(snapshot_of(more)) == plain
    little = of("x = 1\n")
    assert similarity(little, little) == 0
    assert 1 <= len(little) < len(plain) <= 4096


def test_a_fingerprint_of_another_kind_is_not_compared() -> None:
    own = of(program(1))
    assert similarity(own, b"\x02" + own[1:]) == 0
    assert similarity(own, b"\x00") == 0
    assert alike({"a": own, "b": b"\x02" + own[1:]}) == []


def test_pairs_among_hundreds_are_found_without_comparing_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chosen = random.Random(5)
    prints: dict[str, bytes] = {}
    expected = set()
    for number in range(500):
        base = [chosen.getrandbits(64) for _ in range(1000)]
        prints[f"s{number:03}"] = minhash(base)
        if number % 50 == 0:
            # Four fifths of it, and as much of its own: two thirds of both are common.
            copied = base[:800] + [chosen.getrandbits(64) for _ in range(200)]
            prints[f"s{number:03}c"] = minhash(copied)
            expected.add((f"s{number:03}", f"s{number:03}c"))
    compared: list[tuple[bytes, bytes]] = []

    def counted(first: bytes, second: bytes) -> Decimal:
        compared.append((first, second))
        return similarity(first, second)

    monkeypatch.setattr("tablewright.systems.vibejudge.rules.minhash.similarity", counted)
    found = alike(prints, Decimal("0.55"))
    # Of 129,795 pairs.
    assert len(expected) <= len(compared) < 1000
    assert {(each.first, each.second) for each in found} == expected
    assert found == sorted(found, key=lambda each: -each.similarity)


def test_few_runs_fill_all_places() -> None:
    made = minhash(range(10**12, 10**12 + LEAST_RUNS))
    assert len(made) == 1 + 2 * PLACES
    assert made == minhash(reversed(range(10**12, 10**12 + LEAST_RUNS)))


@pytest.mark.parametrize(("common", "told"), [(153, []), (154, [Decimal("0.60")])])
def test_what_is_almost_alike_is_not_made_so_by_rounding(common: int, told: list[Decimal]) -> None:
    """Of 256 places, 153 are .598 and 154 are .602."""
    own = minhash(map(random.Random(3).getrandbits, [64] * 10_000))
    other = own[: 1 + 2 * common] + bytes(each ^ 0xFF for each in own[1 + 2 * common :])
    assert [each.similarity for each in alike({"a": own, "b": other})] == told
