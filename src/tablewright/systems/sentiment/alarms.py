"""Alarms on the metrics of sentiment, for CloudFormation and Terraform templates.

They warn of what the built-in alert rules cannot: when the process that judges the rules is itself
in trouble.
"""

from __future__ import annotations

from tablewright.deploy.templates.alarms import MetricAlarm
from tablewright.systems.sentiment.rules.ops_rules import WATCHED


def alarms() -> list[MetricAlarm]:
    """Return the alarms that a template of sentiment has beside those of its tables."""
    most = WATCHED["stuck"].threshold
    return [
        MetricAlarm(
            name="StuckItems",
            description=f"More than {most:g} articles have waited for more than 5 minutes: the "
            "analysis does not keep up, or does not run.",
            metric="sentiment_stuck_items",
            threshold=most,
        )
    ]
