"""JSON answers, written by orjson."""

from __future__ import annotations

import json

import orjson
from starlette.responses import Response


class Json(Response):
    """An answer that is plain data already. For Pydantic models, let the route return them."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        try:
            return orjson.dumps(content, option=orjson.OPT_NON_STR_KEYS)
        except orjson.JSONEncodeError:
            # It knows no numbers beyond 64 bits.
            return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
