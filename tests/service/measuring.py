"""What ``/metrics`` shows."""

from __future__ import annotations

import httpx2
from prometheus_client.parser import text_string_to_metric_families

Values = dict[tuple[str, frozenset[tuple[str, str]]], float]


def measured(http: httpx2.Client) -> Values:
    answer = http.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def total(values: Values, name: str, **labels: str) -> float:
    """The sum of all that have these labels."""
    wanted = labels.items()
    return sum(
        value
        for (each, found), value in values.items()
        if each == name and wanted <= dict(found).items()
    )
