"""Alarms as Terraform resources."""

from __future__ import annotations

from typing import Any

from tablewright.deploy.templates.alarms import (
    OWN_DIMENSION,
    OWN_NAMESPACE,
    PERIOD,
    Alarm,
    Metric,
    MetricAlarm,
    alarms_of,
)
from tablewright.deploy.templates.hcl import Block, Raw
from tablewright.deploy.templates.settings import Settings, snake
from tablewright.model.model import Model
from tablewright.model.table import Table

_TOPICS = Raw("var.alarm_topics")


def alarm_blocks(table: Table, model: Model, wanted: Settings) -> list[Block]:
    """All alarms of one table."""
    return [_alarm(table, alarm) for alarm in alarms_of(table, model, wanted.calls)]


def metric_alarm_blocks(model: Model, wanted: Settings) -> list[Block]:
    """Return the alarms on metrics that the system publishes itself."""
    return [_metric_alarm(model, alarm) for alarm in wanted.metric_alarms]


def _metric_alarm(model: Model, alarm: MetricAlarm) -> Block:
    job = f"${{var.name_prefix}}{model.name}"
    attributes: dict[str, Any] = {
        "alarm_name": Raw(f'"{job}-{snake(alarm.name).replace("_", "-")}"'),
        "alarm_description": alarm.description,
        "namespace": OWN_NAMESPACE,
        "metric_name": alarm.metric,
        "dimensions": {OWN_DIMENSION: Raw(f'"{job}"')},
        "statistic": alarm.statistic,
        "period": PERIOD,
        "comparison_operator": "GreaterThanThreshold",
        "threshold": alarm.threshold,
        "evaluation_periods": alarm.minutes,
        "datapoints_to_alarm": alarm.bad,
        # A metric that nobody publishes has to look like one, and not like a good value.
        "treat_missing_data": "missing",
        "alarm_actions": _TOPICS,
        "ok_actions": _TOPICS,
        "insufficient_data_actions": _TOPICS,
    }
    labels = ("aws_cloudwatch_metric_alarm", f"{snake(model.name)}_{snake(alarm.name)}")
    return Block("resource", labels, attributes)


def _alarm(table: Table, alarm: Alarm) -> Block:
    own = snake(table.name)
    name = f'"${{aws_dynamodb_table.{own}.name}}-{snake(alarm.name).replace("_", "-")}"'
    attributes: dict[str, Any] = {
        "alarm_name": Raw(name),
        "alarm_description": alarm.description,
        "comparison_operator": "GreaterThanThreshold",
        "threshold": alarm.threshold,
        "evaluation_periods": alarm.minutes,
        "datapoints_to_alarm": alarm.bad,
        "treat_missing_data": "notBreaching",
        "alarm_actions": _TOPICS,
        "ok_actions": _TOPICS,
    }
    blocks: list[Block] = []
    if alarm.expression is None:
        (metric,) = alarm.metrics
        attributes |= _measured(table, metric) | {"statistic": metric.statistic, "period": PERIOD}
    else:
        blocks = [_result(alarm.expression)]
        blocks += [_query(table, number, each) for number, each in enumerate(alarm.metrics)]
    labels = ("aws_cloudwatch_metric_alarm", f"{own}_{snake(alarm.name)}")
    return Block("resource", labels, attributes, blocks)


def _result(expression: str) -> Block:
    values = {"id": "result", "expression": expression, "return_data": True}
    return Block("metric_query", attributes=values)


def _query(table: Table, number: int, metric: Metric) -> Block:
    values = _measured(table, metric) | {"period": PERIOD, "stat": metric.statistic}
    inner = Block("metric", attributes=values)
    return Block("metric_query", attributes={"id": f"m{number}"}, blocks=[inner])


def _measured(table: Table, metric: Metric) -> dict[str, Any]:
    dimensions: dict[str, Any] = {"TableName": Raw(f"aws_dynamodb_table.{snake(table.name)}.name")}
    if metric.index is not None:
        dimensions["GlobalSecondaryIndexName"] = metric.index
    if metric.operation is not None:
        dimensions["Operation"] = metric.operation
    return {"namespace": "AWS/DynamoDB", "metric_name": metric.name, "dimensions": dimensions}
