"""What is to pay: the fee, and what a voucher takes off it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tablewright.service.problems import FieldError, Problem
from tablewright.systems.kurukshetra import reads
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.payments import Voucher
from tablewright.systems.kurukshetra.rules.fees import Fee, VoucherFault, fee_of, voucher_fault

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

_CODE: Final = re.compile(r"[A-Z0-9-]{3,40}")
_WHY: Final[dict[VoucherFault, str]] = {
    "not_yet": "This voucher is not valid yet.",
    "over": "This voucher is not valid any more.",
    "used_up": "This voucher is used up.",
}


@dataclass(frozen=True)
class Price:
    """A fee, and the voucher that it was reckoned with."""

    fee: Fee
    currency: str
    #: Its code.
    voucher: str | None


async def price_of(festival: Festival, config: Config, code: str | None) -> Price:
    """What a team pays now; 422 VOUCHER_INVALID if its voucher is not good for it."""
    voucher = None if code is None else await _valid(festival, config, code)
    fee = fee_of(config.team_fee, voucher)
    return Price(fee, config.currency, None if voucher is None else voucher.code)


async def _valid(festival: Festival, config: Config, code: str) -> Voucher:
    wanted = as_code(code)
    found = None
    if _CODE.fullmatch(wanted):
        found = await festival.db.run(reads.voucher(config.event_id, wanted))
    if found is None:
        raise voucher_invalid("There is no such voucher.")
    if (fault := voucher_fault(found, festival.now())) is not None:
        raise voucher_invalid(_WHY[fault])
    return found


def as_code(text: str) -> str:
    """A code as it is kept, however it was typed."""
    return text.strip().upper()


def voucher_invalid(why: str = "This voucher cannot be used.") -> Problem:
    return Problem(422, "VOUCHER_INVALID", why, errors=[FieldError("body.voucher", why)])
