"""Whose e-mail domain may register."""

from __future__ import annotations

from collections.abc import Collection

from tablewright.service.email_addresses import is_within


def is_allowed(address: str, domains: Collection[str]) -> bool:
    """Tell whether an address is in one of the domains; without domains, every address is.

    ``*.ac.in`` stands for all domains below it.
    """
    return not domains or is_within(address, domains)
