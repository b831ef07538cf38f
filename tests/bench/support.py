"""Outcomes that no machine has to be measured for."""

from __future__ import annotations

from benchmarks.findings import Finding, at_least, at_most, exactly
from benchmarks.outcome import Machine, Measured, Outcome
from benchmarks.section import Chart, Section, Table

MACHINE = Machine(2, "Some processor", 8.0, "Linux", "3.11.7")


def outcome(suite: str = "engine", **changes: object) -> Outcome:
    """With a table, charts of either kind, a peer, and one target of two missed."""
    rates = [("GetItem", {"ours": 900.0, "peer & co": 300.0}), ("PutItem", {"ours": 20.5})]
    growth = [("1,000 items", {"GetItem": 12.0}), ("1,000,000 items", {"GetItem": 15.0})]
    section = Section(
        [
            at_least("GetItem, against the best peer", 3.0, 2.0, "x", "peer & co"),
            at_most("memory", 180.0, 150.0, "MB"),
            exactly("errors", 0, 0),
            Finding("for information", 7.25, "ms"),
        ],
        [Table(["requests per second", "ours", "peer & co"], [["GetItem | one", "900", "300"]])],
        [
            Chart("rates", "Requests <per> second", "/s", rates),
            Chart("growth", "Growth", "us", growth, "lines"),
        ],
        ["What has to be known."],
        {"peer & co": "1.2.3"},
        {"another": "not installed"},
        {"anything": [1, 2]},
    )
    parts = {"compare": Measured(section, 12.5, others=0.0)}
    base = Outcome(suite, "2026-05-04 12:00 UTC", MACHINE, "0.1.0", seconds=12.5, parts=parts)
    return Outcome(**{**vars(base), **changes})
