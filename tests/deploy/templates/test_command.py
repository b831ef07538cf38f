"""`tablewright template`, as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.deploy.templates.hcl import Text, parse

from tablewright.cli.main import build
from tablewright.cli.terminal import Failure

CORNERS = "tests.deploy.templates.corners:model"


def run(*words: str) -> None:
    build()(["template", *words], exit_on_error=False, result_action="return_value")


def output(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    run(*words)
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("format", "start"),
    [
        ("cloudformation", "AWSTemplateFormatVersion"),
        ("sam", "AWSTemplateFormatVersion"),
        ("terraform", "# Tables of corners"),
        ("iam", "{"),
        ("workbench", "{"),
    ],
)
def test_formats(capsys: pytest.CaptureFixture[str], format: str, start: str) -> None:
    assert output(capsys, CORNERS, "--format", format).startswith(start)


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    made = json.loads(output(capsys, CORNERS, "--json", "--env", "prod", "--prefix", "osem"))
    assert made["Parameters"]["NamePrefix"]["Default"] == "osem-"
    assert made["Resources"]["KitTable"]["Properties"]["DeletionProtectionEnabled"] is True


STUCK = {
    "namespace": "Tablewright",
    "metric": "sentiment_stuck_items",
    "threshold": 10,
    "period": 60,
    "statistic": "Maximum",
    "missing": "missing",
}


def test_template_of_sentiment_has_an_alarm_on_stuck_items(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("sentiment", "--env", "prod")
    made = json.loads(output(capsys, *words, "--json"))
    alarm = made["Resources"]["SentimentStuckItemsAlarm"]
    own = alarm["Properties"]
    assert alarm["Type"] == "AWS::CloudWatch::Alarm"
    assert {
        "namespace": own["Namespace"],
        "metric": own["MetricName"],
        "threshold": own["Threshold"],
        "period": own["Period"],
        "statistic": own["Statistic"],
        "missing": own["TreatMissingData"],
    } == STUCK
    assert own["Dimensions"] == [{"Name": "job", "Value": {"Fn::Sub": "${NamePrefix}sentiment"}}]
    assert "HasAlarmTopic" in json.dumps(own["AlarmActions"])

    blocks = parse(output(capsys, *words, "--format", "terraform"))
    (found,) = [each for each in blocks if list(each.labels[1:]) == ["sentiment_stuck_items"]]
    read = found.attributes
    assert {
        "namespace": read["namespace"],
        "metric": read["metric_name"],
        "threshold": read["threshold"],
        "period": read["period"],
        "statistic": read["statistic"],
        "missing": read["treat_missing_data"],
    } == STUCK
    assert read["dimensions"] == {"job": Text("${var.name_prefix}sentiment")}

    assert "sentiment_stuck_items" not in output(capsys, *words, "--no-alarms")
    assert "sentiment_stuck_items" not in output(capsys, "ladders", "--env", "prod")


def test_policies_of_an_account(capsys: pytest.CaptureFixture[str]) -> None:
    where = ("--env", "dev", "--region", "eu-north-1", "--account", "123456789012")
    made = json.loads(output(capsys, CORNERS, "--format", "iam", *where))
    (statement,) = made["audit"]["Statement"]
    assert statement["Resource"] == (
        "arn:aws:dynamodb:eu-north-1:123456789012:table/dev-events-2.log"
    )
    one = json.loads(output(capsys, CORNERS, "--format", "iam", *where, "--component", "audit"))
    assert one == made["audit"]


def test_a_feed(capsys: pytest.CaptureFixture[str]) -> None:
    made = json.loads(output(capsys, CORNERS, "--format", "iam", "--feed", "mailer=Accounts"))
    actions = {action for each in made["mailer"]["Statement"] for action in each["Action"]}
    assert "dynamodb:GetRecords" in actions


def test_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(CORNERS, "--format", "workbench", "--out", str(tmp_path / "model.json"))
    said = capsys.readouterr()
    assert said.out == ""
    assert "model.json" in said.err
    assert json.loads((tmp_path / "model.json").read_text())["ModelName"] == "corners"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((CORNERS, "--json", "--yaml"), "one of them has to go"),
        ((CORNERS, "--format", "iam", "--component", "nobody"), "it has admin"),
        ((CORNERS, "--feed", "mailer"), "COMPONENT=TABLE"),
        ((CORNERS, "--format", "iam", "--feed", "mailer=Nothing"), "no table Nothing"),
        (("nothing",), "is no model"),
        ((CORNERS, "--out", "/nowhere/at/all"), "cannot be written"),
    ],
)
def test_what_cannot_be_done(words: tuple[str, ...], told: str) -> None:
    with pytest.raises(Failure, match=told):
        run(*words)
