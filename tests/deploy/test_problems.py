"""Codes and remedies, the pace, and what a checkpoint is good for."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.deploy import shop_v1, shop_v2

from tablewright.deploy.checkpoints import Checkpoint, Counts, purpose
from tablewright.deploy.pace import Pace
from tablewright.deploy.problems import REMEDIES, problem_of
from tablewright.model.errors import CredentialsError, OutcomeUnknown, ServiceError, Throttled


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ServiceError("UnrecognizedClientException", "Token?"), "AWS_CREDENTIALS_INVALID"),
        (ServiceError("ExpiredTokenException", "expired"), "AWS_CREDENTIALS_INVALID"),
        (
            ServiceError(
                "InvalidSignatureException", "Credential should be scoped to a valid region."
            ),
            "AWS_REGION_MISMATCH",
        ),
        (
            ServiceError("AccessDeniedException", "not authorized to perform dynamodb:CreateTable"),
            "AWS_PERMISSIONS_DENIED",
        ),
        (ServiceError("ResourceNotFoundException", "no"), "TABLE_NOT_FOUND"),
        (ServiceError("LimitExceededException", "Subscriber limit"), "TABLE_LIMIT_EXCEEDED"),
        (ServiceError("ValidationException", "what?"), "UNKNOWN_ERROR"),
        (CredentialsError("No region was given. Set AWS_REGION."), "AWS_REGION_MISMATCH"),
        (CredentialsError("No credentials were found."), "AWS_CREDENTIALS_INVALID"),
        (Throttled("too much"), "NETWORK_ERROR"),
        (OutcomeUnknown("perhaps"), "NETWORK_ERROR"),
        (RuntimeError(), "UNKNOWN_ERROR"),
    ],
)  # fmt: skip
def test_codes(error: Exception, code: str) -> None:
    problem = problem_of(error)
    assert problem.code == code
    assert [step.split(".")[0] for step in problem.remediation] == [
        str(number) for number in range(1, len(problem.remediation) + 1)
    ]


def test_every_code_has_remedies() -> None:
    assert len(REMEDIES) == 8
    assert all(REMEDIES.values())


def test_a_pace_is_shared_and_kept() -> None:
    now = 100.0
    pace = Pace(10.0, lambda: now)
    assert pace.wait(5) == pytest.approx(0.5)
    assert pace.wait(5) == pytest.approx(1.0)
    now = 103.0
    assert pace.wait(10) == pytest.approx(1.0)
    assert Pace(None).wait(1000) == 0.0


def test_a_checkpoint_is_for_one_table_and_its_templates(tmp_path: Path) -> None:
    path = tmp_path / "sub" / "c.json"
    own = purpose(shop_v2.orders, "id-1", ["Open"])
    first = Checkpoint(path, own, 2)
    first.moved(0, {"PK": {"S": "x"}}, Counts(scanned=7, examples=[{"key": 1}]))
    first.moved(1, None, Counts(scanned=3))
    again = Checkpoint(path, own, 5)
    assert again.resumed
    assert [(each.start, each.done) for each in again.segments] == [
        ({"PK": {"S": "x"}}, False),
        (None, True),
    ]
    assert (again.counts.scanned, again.counts.examples) == (10, [{"key": 1}])
    others = [
        purpose(shop_v2.orders, "id-2", ["Open"]),
        purpose(shop_v2.orders, "id-1", ["GSI1"]),
        purpose(shop_v1.orders, "id-1", ["Open"]),
    ]
    assert len({own, *others}) == 4
    assert not any(Checkpoint(path, each, 2).resumed for each in others)
    path.write_text("{")
    assert not Checkpoint(path, own, 2).resumed


def test_a_page_that_was_not_finished_counts_but_is_not_kept(tmp_path: Path) -> None:
    first = Checkpoint(tmp_path / "c.json", "p", 2)
    first.broken(Counts(scanned=2, changed=1))
    first.moved(0, None, Counts(scanned=3))
    assert (first.all_counts().scanned, first.all_counts().changed) == (5, 1)
    assert Checkpoint(tmp_path / "c.json", "p", 2).counts == Counts(scanned=3)
