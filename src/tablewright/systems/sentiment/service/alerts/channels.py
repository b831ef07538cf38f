"""Where a rule may send."""

from __future__ import annotations

import re

from tablewright.service.outbound import Outbound, UnsafeAddress
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.systems.sentiment.service.alerts.telling import is_webhook

#: One address and nothing else.
_MAIL = re.compile(r"[^\s,;:<>@\"()]{1,64}@[^\s,;:<>@\"()]{1,255}\Z")


async def check_channel(channel: str | None, outbound: Outbound) -> None:
    """The address of a webhook that anybody could reach, or of a mailbox; else a problem."""
    if channel is None:
        return
    if not is_webhook(channel):
        if _MAIL.match(channel) is None:
            message = "is neither the address of a webhook (https://…) nor a mail address"
            raise invalid(FieldError("body.channel", message))
        return
    try:
        await outbound.check(channel)
    except UnsafeAddress as error:
        field = FieldError("body.channel", str(error))
        raise Problem(422, "UNSAFE_URL", f"The webhook {error}.", errors=[field]) from None
