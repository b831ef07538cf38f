"""How much room a ladder takes: it is stored as the text and as what was read from it.

The one can be short and the other long, since a tab is kept as the spaces that it stands for.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from tablewright.model import definition
from tablewright.systems.ladders.entities import ConfigVersion
from tablewright.systems.ladders.fields import Ladder
from tablewright.values import item_size

#: Whatever it will be called, whoever uploads it and when; the active version is the largest.
_ANY: Final = {
    "version": f"0.0.{'9' * 36}",
    "created_by": "00000000-0000-4000-8000-000000000000",
    "created_at": datetime(9000, 1, 1, tzinfo=UTC),
    "updated_at": datetime(9000, 1, 1, tzinfo=UTC),
    "is_active": 1,
}


def stored_size(text: str, ladder: Ladder) -> int:
    """Bytes of the item that a ladder becomes."""
    config = ConfigVersion.model_validate({**_ANY, "config_content": text, "parsed_config": ladder})
    return item_size(definition(config).encode(config))
