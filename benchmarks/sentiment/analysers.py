"""Texts that the bundled models judge in a second, on one core."""

from __future__ import annotations

import time

from benchmarks.findings import Finding, at_least
from tablewright.systems.sentiment.analysers.analyser import Analyser
from tablewright.systems.sentiment.analysers.linear import Linear
from tablewright.systems.sentiment.analysers.vader import Vader
from tablewright.systems.sentiment.corpus import headlines

WANTED = 1_000
_ROUNDS = 5


def measure() -> list[Finding]:
    texts = [f"{each.title}. {each.text}" for each in headlines()]
    models: dict[str, Analyser] = {"VADER": Vader(), "linear": Linear()}
    note = f"{len(texts)} headlines with their first sentence, best of {_ROUNDS}"
    return [
        at_least(f"{name}, texts", _rate(model, texts), WANTED, "/s of CPU", note)
        for name, model in models.items()
    ]


def _rate(model: Analyser, texts: list[str]) -> float:
    """By CPU time, one text at a time as articles come; other load only ever adds."""
    model.judge(texts[:10])
    best = float("inf")
    for _ in range(_ROUNDS):
        began = time.thread_time()
        for text in texts:
            model.judge([text])
        best = min(best, time.thread_time() - began)
    return len(texts) / best
