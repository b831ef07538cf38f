"""What a team pays, in minor units: paise, cents."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Literal, TypeAlias

from tablewright.systems.kurukshetra.payments import Voucher

#: The gateway takes nothing smaller; what is left of a fee below it is given away.
LEAST = 100

VoucherFault: TypeAlias = Literal["not_yet", "over", "used_up"]


@lru_cache(maxsize=1)
def currencies_in_use() -> frozenset[str]:
    """Return the codes of the currencies (ISO 4217) that are legal tender somewhere today."""
    from babel.core import get_global

    listed = get_global("territory_currencies").values()
    return frozenset(
        code for of_place in listed for code, _, until, tender in of_place if tender and not until
    )


#: Currencies whose minor unit is not a hundredth (ISO 4217).
_DIGITS = {
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
    **dict.fromkeys(("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG"), 0),
    **dict.fromkeys(("RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF"), 0),
}


@dataclass(frozen=True, slots=True)
class Fee:
    """A fee, what a voucher takes off it, and what is left to pay."""

    full: int
    discount: int
    net: int

    @property
    def free(self) -> bool:
        """Whether there is nothing to pay: the team is paid at once."""
        return self.net == 0


def fee_of(full: int, voucher: Voucher | None = None) -> Fee:
    """What is to pay. A voucher never takes off more than there is."""
    discount = min(full, _discount(full, voucher))
    net = full - discount
    return Fee(full, discount, net) if net >= LEAST else Fee(full, full, 0)


def _discount(full: int, voucher: Voucher | None) -> int:
    if voucher is None:
        return 0
    if voucher.percent is not None:
        # Half a paisa is the team's.
        return (full * voucher.percent + 50) // 100
    return voucher.fixed or 0


def voucher_fault(voucher: Voucher, at: datetime) -> VoucherFault | None:
    """Why a voucher is not taken; the transaction asks the same again. Both ends count."""
    moment = at.replace(microsecond=0)
    if moment < voucher.valid_from:
        return "not_yet"
    if moment > voucher.valid_until:
        return "over"
    return None if voucher.remaining > 0 else "used_up"


def minor_digits(currency: str) -> int:
    """How many decimal places a currency has."""
    return _DIGITS.get(currency, 2)


def written(amount: int, currency: str) -> str:
    """``INR 999.00``: for mails and receipts."""
    digits = minor_digits(currency)
    whole, rest = divmod(abs(amount), 10**digits)
    sign = "-" if amount < 0 else ""
    return f"{currency} {sign}{whole:,}" + (f".{rest:0{digits}d}" if digits else "")
