"""The service under test."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from benchmarks.service import DATA, Service, up

API = "/kurukshetra/api/v1"
_NO_LIMITS = {
    f"TABLEWRIGHT_KURUKSHETRA_{name}_PER_MINUTE": "1000000"
    for name in ("REQUESTS", "ADMIN_REQUESTS", "REGISTRATIONS")
}

__all__ = ["API", "DATA", "Service", "service"]


def service(folder: Path, gateway: str) -> AbstractContextManager[Service]:
    """`tablewright up kurukshetra` on `folder`; payments go to the sandbox at an address."""
    environ = {**_NO_LIMITS, "TABLEWRIGHT_KURUKSHETRA_SANDBOX_URL": gateway}
    return up("kurukshetra", folder, environ=environ)
