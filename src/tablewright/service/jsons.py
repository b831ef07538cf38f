"""JSON answers, written by orjson."""

from __future__ import annotations

import orjson
from starlette.responses import Response


class Json(Response):
    """An answer that is plain data already. For Pydantic models, let the route return them."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        return orjson.dumps(content, option=orjson.OPT_NON_STR_KEYS)
