"""Razorpay: orders, payments and refunds over its REST API, and the signatures of what it tells us.

The same client speaks to Razorpay and to the sandbox; only the address and the keys differ.
Nothing here knows of teams or seats.

=================  =============================================================
``credentials``    the keys, and which of them may be used where
``records``        orders, payments, refunds: what is read of their documents
``failures``       how asking goes wrong, and whether something may have happened
``exchange``       one request, one answer, within limits
``tries``          three tries, where a repeat is safe
``client``         :class:`Razorpay`, the requests there are
``signatures``     proofs that a message comes from the gateway
``webhooks``       :func:`opened`: a delivery that is genuine, as an :class:`Event`
=================  =============================================================
"""

from tablewright.systems.kurukshetra.gateway.client import BASE_URL, Razorpay
from tablewright.systems.kurukshetra.gateway.credentials import Credentials, check_place
from tablewright.systems.kurukshetra.gateway.failures import (
    GatewayFailed,
    KeyRefused,
    NotFound,
    OutcomeUnknown,
    Refused,
    Throttled,
    Unavailable,
)
from tablewright.systems.kurukshetra.gateway.records import Order, Payment, PaymentError, Refund
from tablewright.systems.kurukshetra.gateway.signatures import (
    payment_signature,
    verify_payment,
    verify_webhook,
    webhook_signature,
)
from tablewright.systems.kurukshetra.gateway.webhooks import BadWebhook, Event, opened

__all__ = [
    "BASE_URL",
    "BadWebhook",
    "Credentials",
    "Event",
    "GatewayFailed",
    "KeyRefused",
    "NotFound",
    "Order",
    "OutcomeUnknown",
    "Payment",
    "PaymentError",
    "Razorpay",
    "Refund",
    "Refused",
    "Throttled",
    "Unavailable",
    "check_place",
    "opened",
    "payment_signature",
    "verify_payment",
    "verify_webhook",
    "webhook_signature",
]
