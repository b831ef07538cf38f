"""The bodies of requests and answers, as the API and the client library know them.

==============  ==========================================================================
``fields``      which values are accepted, and how they are understood
``costs``       reports of usage, corrections, reservations
``selection``   which model to use, and how spend stands
``settings``    organisations, apps, labels, prices
``access``      tokens and credentials
==============  ==========================================================================
"""

from __future__ import annotations

from tablewright.systems.pricekeeper.bodies.access import (
    RedeemIn,
    RedeemOut,
    RefreshIn,
    RevokeIn,
    RotateIn,
    RotateOut,
    TokenIn,
    TokenOut,
)
from tablewright.systems.pricekeeper.bodies.costs import (
    MAX_BATCH,
    BatchIn,
    BatchOut,
    BatchResult,
    CorrectionIn,
    CorrectionOut,
    CostIn,
    CostOut,
    Recorded,
    RecordOut,
    RecordWithCorrections,
    ReservationIn,
    ReservationOut,
)
from tablewright.systems.pricekeeper.bodies.fields import day_text, iso
from tablewright.systems.pricekeeper.bodies.selection import (
    AggregatesOut,
    AlertOut,
    AmountsOut,
    Guidance,
    HistoryOut,
    LabelAmounts,
    LabelStatus,
    LimitStatus,
    OverrideIn,
    OverrideOut,
    PriceOut,
    SelectionOut,
)
from tablewright.systems.pricekeeper.bodies.settings import (
    AppCreated,
    AppIn,
    AppOut,
    ImportedPrice,
    ImportOut,
    LabelIn,
    LabelOut,
    ModelOut,
    OrgCreated,
    OrgIn,
    OrgListed,
    OrgOut,
    PendingPriceOut,
    PriceDecision,
    PriceImport,
    PriceIn,
    PricesOut,
    Waiting,
)

__all__ = [
    "MAX_BATCH",
    "AggregatesOut",
    "AlertOut",
    "AmountsOut",
    "AppCreated",
    "AppIn",
    "AppOut",
    "BatchIn",
    "BatchOut",
    "BatchResult",
    "CorrectionIn",
    "CorrectionOut",
    "CostIn",
    "CostOut",
    "Guidance",
    "HistoryOut",
    "ImportOut",
    "ImportedPrice",
    "LabelAmounts",
    "LabelIn",
    "LabelOut",
    "LabelStatus",
    "LimitStatus",
    "ModelOut",
    "OrgCreated",
    "OrgIn",
    "OrgListed",
    "OrgOut",
    "OverrideIn",
    "OverrideOut",
    "PendingPriceOut",
    "PriceDecision",
    "PriceImport",
    "PriceIn",
    "PriceOut",
    "PricesOut",
    "RecordOut",
    "RecordWithCorrections",
    "Recorded",
    "RedeemIn",
    "RedeemOut",
    "RefreshIn",
    "ReservationIn",
    "ReservationOut",
    "RevokeIn",
    "RotateIn",
    "RotateOut",
    "SelectionOut",
    "TokenIn",
    "TokenOut",
    "Waiting",
    "day_text",
    "iso",
]
