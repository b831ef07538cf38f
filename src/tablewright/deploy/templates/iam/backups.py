"""What a component needs that takes backups: see :mod:`tablewright.client.backups`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from tablewright.deploy.templates.iam.arns import Arns


def backup_statements(tables: Iterable[str], arns: Arns) -> list[dict[str, object]]:
    """Taking backups of these tables, and deleting those; nobody restores by it."""
    names = list(tables)
    made = [statement for name in names for statement in _statements(name, arns)]
    if names:
        # A list of backups is asked of the account, not of a table.
        made.append(_allowed("Backups", ["dynamodb:ListBackups"], "*"))
    return made


def _statements(table: str, arns: Arns) -> list[dict[str, Any]]:
    plain = re.sub(r"[^A-Za-z0-9]", "", table)
    return [
        _allowed(f"{plain}Backup", ["dynamodb:CreateBackup"], arns.table(table)),
        _allowed(f"{plain}OldBackups", ["dynamodb:DeleteBackup"], arns.backups(table)),
    ]


def _allowed(sid: str, actions: list[str], resource: Any) -> dict[str, Any]:
    return {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resource}
