"""Alarms as CloudFormation resources; they tell a topic, if one is given."""

from __future__ import annotations

from typing import Any, TypeAlias

from tablewright.deploy.templates.alarms import (
    OWN_DIMENSION,
    OWN_NAMESPACE,
    PERIOD,
    Alarm,
    Metric,
    MetricAlarm,
    alarms_of,
)
from tablewright.deploy.templates.cfn_tables import table_id
from tablewright.deploy.templates.settings import Settings, identifier
from tablewright.model.model import Model
from tablewright.model.table import Table

Document: TypeAlias = dict[str, Any]

PARAMETERS: Document = {
    "AlarmTopicArn": {
        "Type": "String",
        "Default": "",
        "Description": "The SNS topic that alarms are sent to; none if it is empty.",
    }
}
CONDITIONS: Document = {
    "HasAlarmTopic": {"Fn::Not": [{"Fn::Equals": [{"Ref": "AlarmTopicArn"}, ""]}]}
}
_TOLD = {"Fn::If": ["HasAlarmTopic", [{"Ref": "AlarmTopicArn"}], {"Ref": "AWS::NoValue"}]}


def alarm_resources(table: Table, model: Model, wanted: Settings) -> Document:
    """All alarms of one table."""
    return {
        identifier(table.name, alarm.name, "Alarm"): _alarm(table, alarm)
        for alarm in alarms_of(table, model, wanted.calls)
    }


def metric_alarm_resources(model: Model, wanted: Settings) -> Document:
    """Return the alarms on metrics that the system publishes itself."""
    return {
        identifier(model.name, alarm.name, "Alarm"): _metric_alarm(model, alarm)
        for alarm in wanted.metric_alarms
    }


def _metric_alarm(model: Model, alarm: MetricAlarm) -> Document:
    job = {"Fn::Sub": f"${{NamePrefix}}{model.name}"}
    properties: Document = {
        "AlarmDescription": alarm.description,
        "Namespace": OWN_NAMESPACE,
        "MetricName": alarm.metric,
        "Dimensions": [{"Name": OWN_DIMENSION, "Value": job}],
        "Statistic": alarm.statistic,
        "Period": PERIOD,
        "ComparisonOperator": "GreaterThanThreshold",
        "Threshold": alarm.threshold,
        "EvaluationPeriods": alarm.minutes,
        "DatapointsToAlarm": alarm.bad,
        # A metric that nobody publishes has to look like one, and not like a good value.
        "TreatMissingData": "missing",
        "AlarmActions": _TOLD,
        "OKActions": _TOLD,
        "InsufficientDataActions": _TOLD,
    }
    return {"Type": "AWS::CloudWatch::Alarm", "Properties": properties}


def _alarm(table: Table, alarm: Alarm) -> Document:
    properties: Document = {"AlarmDescription": alarm.description}
    if alarm.expression is None:
        (metric,) = alarm.metrics
        properties |= _measured(table, metric)
        properties |= {"Statistic": metric.statistic, "Period": PERIOD}
    else:
        properties["Metrics"] = _metrics(table, alarm)
    properties |= {
        "ComparisonOperator": "GreaterThanThreshold",
        "Threshold": alarm.threshold,
        "EvaluationPeriods": alarm.minutes,
        "DatapointsToAlarm": alarm.bad,
        "TreatMissingData": "notBreaching",
        "AlarmActions": _TOLD,
        "OKActions": _TOLD,
    }
    return {"Type": "AWS::CloudWatch::Alarm", "Properties": properties}


def _measured(table: Table, metric: Metric) -> Document:
    dimensions: list[Document] = [{"Name": "TableName", "Value": {"Ref": table_id(table.name)}}]
    if metric.index is not None:
        dimensions.append({"Name": "GlobalSecondaryIndexName", "Value": metric.index})
    if metric.operation is not None:
        dimensions.append({"Name": "Operation", "Value": metric.operation})
    return {"Namespace": "AWS/DynamoDB", "MetricName": metric.name, "Dimensions": dimensions}


def _metrics(table: Table, alarm: Alarm) -> list[Document]:
    made: list[Document] = [{"Id": "result", "Expression": alarm.expression, "ReturnData": True}]
    for number, metric in enumerate(alarm.metrics):
        made.append(
            {
                "Id": f"m{number}",
                "ReturnData": False,
                "MetricStat": {
                    "Metric": _measured(table, metric),
                    "Period": PERIOD,
                    "Stat": metric.statistic,
                },
            }
        )
    return made
