"""The service's numbers: limits that rules compare with, and that documents state.

Names are what :class:`~tablewright.review.design.Figure` uses to state one.
"""

from __future__ import annotations

KB = 1024
MB = 1024 * KB

MAX_ITEM = 400 * KB
MAX_PARTITION_KEY = 2048
MAX_SORT_KEY = 1024
MAX_TRANSACTION = 100
MAX_BATCH_GET = 100
MAX_BATCH_WRITE = 25
PAGE = MB
READ_UNIT = 4 * KB
WRITE_UNIT = KB
PARTITION_READ_UNITS = 3000
PARTITION_WRITE_UNITS = 1000
MAX_GLOBAL_INDEXES = 20
MAX_LOCAL_INDEXES = 5
MAX_INCLUDED = 100
LOCAL_COLLECTION = 10 * 1024 * MB
FREE_UNITS = 25

#: What a figure of this name must be, and what it is.
STATED: dict[str, tuple[float, str]] = {
    "partition.read_units": (
        3000,
        "read units a second and partition: 3,000 strongly or 6,000 eventually consistent reads "
        "of 4 KB",
    ),
    "partition.read_units.eventual": (
        6000,
        "eventually consistent reads of 4 KB a second and partition, which are 3,000 read units",
    ),
    "partition.write_units": (
        1000,
        "write units a second and partition, whatever the update expression does",
    ),
    "item.bytes": (MAX_ITEM, "bytes of one item, names included"),
    "set.bytes": (MAX_ITEM, "bytes of one item; a set has no limit of its own"),
    "page.bytes": (MB, "bytes that one Query or Scan reads"),
    "transaction.items": (100, "items of one transaction"),
    "transaction.bytes": (4 * MB, "bytes of one transaction"),
    "batch_get.items": (100, "items of one BatchGetItem"),
    "batch_get.bytes": (16 * MB, "bytes that one BatchGetItem returns"),
    "batch_write.items": (25, "puts and deletes of one BatchWriteItem"),
    "partition_key.bytes": (2048, "bytes of a partition key"),
    "sort_key.bytes": (1024, "bytes of a sort key"),
    "global_indexes": (20, "global indexes of a table, by default"),
    "local_indexes": (5, "local indexes of a table"),
    "local_collection.bytes": (LOCAL_COLLECTION, "bytes under one key of a table with local ones"),
    "pitr.granularity_seconds": (1, "second to which point-in-time recovery restores"),
    "pitr.days": (35, "days that point-in-time recovery goes back at most"),
    "stream.hours": (24, "hours that a stream keeps a record"),
    "free.read_units": (25, "provisioned read units of the free tier, for all tables together"),
    "free.write_units": (25, "provisioned write units of the free tier, for all tables together"),
    "free.storage_gb": (25, "GB of the free tier"),
}

#: On-demand prices in us-east-1 since November 2024, in dollars for a million units.
PRICES = {"read": 0.125, "write": 0.625}
