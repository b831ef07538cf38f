"""The service under test."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from benchmarks.service import DATA, Service, up

API = "/vibejudge/api/v1"

__all__ = ["API", "DATA", "Service", "service"]


def service(folder: Path) -> AbstractContextManager[Service]:
    """`tablewright up vibejudge` on `folder`."""
    return up("vibejudge", folder)
