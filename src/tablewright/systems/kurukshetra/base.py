"""The one table, and what all of its items have."""

from __future__ import annotations

from pydantic import ConfigDict

from tablewright.model import Entity, Index, IsoSeconds, Table, Version

table = Table(
    "codekurukshetra_main",
    pk="PK",
    sk="SK",
    indexes=[
        # Whose address it is, in all events.
        Index("GSI1", pk="GSI1PK", sk="GSI1SK", keys_only=True),
        # A team's people and payments.
        Index("GSI2", pk="GSI2PK", sk="GSI2SK", include=("entity_type", "status", "amount")),
        # Lists for organisers.
        Index(
            "GSI3",
            pk="GSI3PK",
            sk="GSI3SK",
            include=("entity_type", "name", "member_count", "amount"),
        ),
    ],
    ttl="ttl",
    stream="NEW_AND_OLD_IMAGES",
    pitr=35,
)

#: Participants are listed, and statistics counted, in so many places.
SHARDS = 8


class Kept(Entity):
    """An item that is written once."""

    # A refused value may be a person's: it is nothing for a log.
    model_config = ConfigDict(hide_input_in_errors=True)

    created_at: IsoSeconds


class Changing(Kept):
    """An item that is changed, by one after the other."""

    updated_at: IsoSeconds
    version: Version = 0
