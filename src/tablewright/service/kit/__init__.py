"""The kit table of a system: audit, outbox, leases, idempotency, API keys, events.

Functions here return ops and write nothing, so that an entry joins the transaction of what it
tells of: ``together(create_org(org), audit.record(...), outbox.message(...))``.
"""

from __future__ import annotations

from tablewright.model.demo import Demo
from tablewright.service.kit.table import kit, kit_model

__all__ = ["demo", "kit", "kit_model"]


def demo() -> Demo:
    """Samples of every entity and one call for each pattern, for the design tools."""
    from tablewright.service.kit.samples import samples

    return samples()
