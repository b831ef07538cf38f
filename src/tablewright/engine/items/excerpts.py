"""A few attributes of a stored item, without making objects of the rest.

A filter looks at one or two attributes of every item that a page passes over, and decoding whole
items would be most of what such a page costs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypedDict

import orjson

from tablewright.values import Item

CACHED = 1024


@lru_cache(CACHED)
def excerpts_of(names: frozenset[str]) -> Callable[[bytes], Item]:
    """What reads these attributes of a stored item, as far as it has them, and maybe others."""
    if not all(map(str.isascii, names)):
        # msgspec 0.22 takes no note of how long such a name is, and finds others for it.
        return orjson.loads
    # Takes longer to import than to start an engine, and is not always needed.
    from msgspec.json import Decoder

    typed_dict: Any = TypedDict
    decoder: Any = Decoder(typed_dict("Excerpt", dict.fromkeys(names, dict), total=False))
    read: Callable[[bytes], Item] = decoder.decode
    return read
