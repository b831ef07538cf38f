"""Subscriptions that are paid every month, and the receipts.

Source: github.com/aws-samples/aws-dynamodb-examples, schema_design/SchemaExamples/
RecurringPayments (README.md and RecurringPaymentsSchema.json, at f215ac6).
"""

from __future__ import annotations

from tablewright.review.design import (
    Attribute,
    Begins,
    Design,
    Entity,
    Index,
    Key,
    Pattern,
    Sample,
    Table,
)


def design() -> Design:
    return Design.of("recurring payments", TABLE, SUBSCRIPTION, RECEIPT, *WRITES, *READS, *SAMPLES)


_TABLE = "ReoccuringPayments"
_PAID_WITH = ("PK", "SK", "Email", "PaymentDay", "PaymentAmount", "SKU", "PaymentDetails")

#: The schema does not say that time to live is on.
TABLE = Table(
    _TABLE,
    pk="PK",
    sk="SK",
    indexes=(
        Index(
            "GSI-1",
            pk="NextReminderDate",
            sk="LastReminderDate",
            projection=("SK", "PK", "SKU", "Email", "NextPaymentDate"),
        ),
        Index("GSI-2", pk="NextPaymentDate", sk="LastPaymentDate", projection=_PAID_WITH),
    ),
    billing="provisioned",
    read_units=5,
    write_units=5,
    max_read_units=10,
    max_write_units=10,
)

# --- entities ------------------------------------------------------------------------------------

_EMAIL = Attribute("Email", format="email", personal=True)
_SKU = Attribute("SKU", examples=("999",))

SUBSCRIPTION = Entity(
    "Subscription",
    _TABLE,
    keys=(
        Key("ACC#{AccountId}", "SUB#{SubId}#SKU#{SKU}"),
        Key("{NextReminderDate}", "{LastReminderDate}", on="GSI-1"),
        Key("{NextPaymentDate}", "{LastPaymentDate}", on="GSI-2"),
    ),
    attributes=(
        _EMAIL,
        Attribute("PaymentDay", examples=("28",)),
        Attribute("PaymentAmount", examples=("12.99",)),
        # The sample was first paid hours after it was created, and reminded days after.
        Attribute("LastPaymentDate", required=False, format="iso_millis", mutable=True),
        Attribute("NextPaymentDate", format="date", mutable=True),
        Attribute("LastReminderDate", required=False, format="iso_millis", mutable=True),
        Attribute("NextReminderDate", format="date", mutable=True),
        _SKU,
        # A card's whole number and an address.
        Attribute("PaymentDetails", "M", personal=True, secret="clear"),
        Attribute("CreatedDate", format="iso_millis"),
    ),
)

RECEIPT = Entity(
    "Receipt",
    _TABLE,
    keys=(Key("ACC#{AccountId}", "REC#{ProcessedDate}#SKU#{SKU}"),),
    attributes=(
        _EMAIL,
        _SKU,
        Attribute("ProcessedDate", format="iso_millis"),
        Attribute("ProcessedAmount", examples=("12.99",)),
        Attribute("TTL", "N", format="epoch_seconds"),
    ),
    ttl="TTL",
)

# --- patterns ------------------------------------------------------------------------------------

_ONE = {"PK": "ACC#{AccountId}", "SK": "SUB#{SubId}#SKU#{SKU}"}
_PAID = {"PK": "ACC#{AccountId}", "SK": "REC#{ProcessedDate}#SKU#{SKU}"}

WRITES = (
    Pattern("Create new subscription", "put", "Subscription", key=_ONE, new=True),
    Pattern("Create new receipt", "put", "Receipt", key=_PAID, new=True),
    # What an update changes is not said; that there is a subscription is.
    Pattern("Update subscription", "update", "Subscription", key=_ONE, existing=True),
)

READS = (
    Pattern(
        "Get all subscriptions for an account",
        "query",
        "Subscription",
        key={"PK": "ACC#{AccountId}", "SK": Begins("SUB#")},
    ),
    Pattern(
        "Get all receipts for an account",
        "query",
        "Receipt",
        key={"PK": "ACC#{AccountId}", "SK": Begins("REC#")},
    ),
    Pattern("Get specific subscription details", "get", "Subscription", key=_ONE),
    Pattern(
        "getDueRemindersByDate",
        "query",
        "Subscription",
        index="GSI-1",
        key={"NextReminderDate": "{NextReminderDate}"},
        reads=("PK", "SK", "SKU", "Email", "NextPaymentDate"),
        every=86400,
    ),
    Pattern(
        "getDuePaymentsByDate",
        "query",
        "Subscription",
        index="GSI-2",
        key={"NextPaymentDate": "{NextPaymentDate}"},
        reads=_PAID_WITH,
        every=86400,
    ),
)

# --- samples -------------------------------------------------------------------------------------

SAMPLES = (
    Sample(
        "Subscription",
        {
            "PK": "ACC#123",
            "SK": "SUB#123#SKU#999",
            "Email": "s@s.com",
            "PaymentDay": "28",
            "PaymentAmount": "12.99",
            "LastPaymentDate": "2023-05-18T14:15:39.247Z",
            "NextPaymentDate": "2023-06-28",
            "LastReminderDate": "2023-05-21T14:15:39.247Z",
            "NextReminderDate": "2023-06-21",
            "SKU": "999",
            # Shorter than the source's, which has a card number and a street.
            "PaymentDetails": {"default-card": "1234", "default-address": "12 Bridge Street"},
            "CreatedDate": "2023-05-18T09:41:25.856Z",
        },
    ),
    Sample(
        "Receipt",
        {
            "PK": "ACC#123",
            "SK": "REC#12023-05-28T14:15:39.24#SKU#999",
            "Email": "s@s.com",
            "SKU": "999",
            "ProcessedDate": "2023-05-28T14:15:39.247Z",
            "ProcessedAmount": "12.99",
            "TTL": 1700318200,
        },
    ),
)
