"""Alarms as Terraform resources."""

from __future__ import annotations

from typing import Any

from tablewright.deploy.templates.alarms import PERIOD, Alarm, Metric, alarms_of
from tablewright.deploy.templates.hcl import Block, Raw
from tablewright.deploy.templates.settings import Settings, snake
from tablewright.model.model import Model
from tablewright.model.table import Table

_TOPICS = Raw("var.alarm_topics")


def alarm_blocks(table: Table, model: Model, wanted: Settings) -> list[Block]:
    """All alarms of one table."""
    return [_alarm(table, alarm) for alarm in alarms_of(table, model, wanted.calls)]


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
