"""Two people change the same settings, in the words of pricekeeper's forms."""

from __future__ import annotations

from collections.abc import Mapping

from tablewright.service import merging
from tablewright.service.forms import Typed
from tablewright.service.merging import Merged, packed
from tablewright.systems.pricekeeper.pages.limit_table import words_of

__all__ = ["merged", "packed"]


def merged(typed: Typed, now: Mapping[str, str]) -> Merged:
    """What was typed, on top of what is stored by now."""
    return merging.merged(typed, now, words=words_of, besides=("org_id", "app_id"))
