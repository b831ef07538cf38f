"""Requests to addresses that people give: feeds, webhooks.

Whoever may name an address could name one that only this machine can reach: a database beside it,
the metadata of a cloud. So an address has to be https, and its host public; the connection goes to
the very address that was checked, since a second look-up may answer otherwise; every redirect is
checked like the first address; and what comes back is bounded in size, unpacked, and in time.

===============  ========================================================
``addresses``    which hosts may be spoken to
``unpacking``    bodies, unpacked up to a limit
``exchange``     :class:`Outbound`, which asks and answers
===============  ========================================================
"""

from tablewright.service.outbound.addresses import Place, UnsafeAddress, checked, is_public
from tablewright.service.outbound.exchange import Answer, Outbound, OutboundError, retry_after

__all__ = [
    "Answer",
    "Outbound",
    "OutboundError",
    "Place",
    "UnsafeAddress",
    "checked",
    "is_public",
    "retry_after",
]
