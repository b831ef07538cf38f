"""X06: an alarm that cannot be made from what is said about it."""

from collections.abc import Iterator, Mapping
from typing import Any

from tablewright.review.design import Design
from tablewright.review.finding import Found, Place
from tablewright.review.rule import Rule

_NEEDED = ("Namespace", "Period", "EvaluationPeriods", "Threshold", "ComparisonOperator")
#: Metrics of DynamoDB that belong to the account, not to a table.
_OF_ACCOUNT = frozenset({"UserErrors"})


def check(design: Design) -> Iterator[Found]:
    for alarm in design.alarms:
        missing = list(_missing(alarm.body))
        if missing:
            yield Found(
                Place("alarm", alarm.name), f"The alarm does not say its {', '.join(missing)}."
            )


def _missing(body: Mapping[str, Any]) -> Iterator[str]:
    # With Metrics an alarm is about an expression, which has all that inside.
    if "Metrics" in body:
        return
    yield from (name for name in _NEEDED if name not in body)
    if "Statistic" not in body and "ExtendedStatistic" not in body:
        yield "Statistic"
    if "Dimensions" not in body and body.get("MetricName") not in _OF_ACCOUNT:
        yield "Dimensions"


RULE = Rule(
    code="X06",
    severity="warning",
    title="An alarm is incomplete",
    why="CloudWatch compares a statistic of one metric, in a namespace and for exact dimensions, "
    "over so many periods, with a threshold. Without them the call is refused; with wrong "
    "dimensions the alarm watches a metric that never has data, and stays silent.",
    fix="Say the namespace (AWS/DynamoDB), the dimensions (TableName, and Operation or "
    "GlobalSecondaryIndexName where the metric has them), the statistic, its period and how many "
    "periods count.",
    bad="""
Alarm("throttles", {"MetricName": "ThrottledRequests", "Threshold": 10,
                    "ComparisonOperator": "GreaterThanThreshold"}),
""",
    good="""
Alarm("throttles", {"Namespace": "AWS/DynamoDB", "MetricName": "WriteThrottleEvents",
                    "Dimensions": [{"Name": "TableName", "Value": "Orders"}],
                    "Statistic": "Sum", "Period": 60, "EvaluationPeriods": 5, "Threshold": 10,
                    "ComparisonOperator": "GreaterThanThreshold"}),
""",
    check=check,
)
