"""Where pages are, and who may do what on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from tablewright.service.auth import Principal

BASE = "/pricekeeper"


def org_path(org_id: str) -> str:
    return f"{BASE}/orgs/{org_id}"


def app_path(org_id: str, app_id: str) -> str:
    return f"{BASE}/orgs/{org_id}/apps/{app_id}"


def scope_path(org_id: str, app_id: str | None) -> str:
    return org_path(org_id) if app_id is None else app_path(org_id, app_id)


def model_path(model_id: str) -> str:
    """Ids of models have colons, and may have slashes."""
    return f"{BASE}/prices/models/{quote(model_id, safe=':/')}"


@dataclass(frozen=True)
class Rights:
    """What somebody may do; pages show what they can use."""

    #: Organisations, apps, labels, prices, secrets.
    provision: bool
    #: Overrides, corrections, repricing, checks.
    operate: bool
    #: The log of who did what.
    audit: bool

    @classmethod
    def of(cls, who: Principal) -> Rights:
        return cls(who.has("admin"), who.has("admin", "operator"), who.has("admin", "auditor"))
