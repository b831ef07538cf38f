"""The cookies we set: for this host alone, out of reach of scripts, and not sent by other sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.settings import Settings

if TYPE_CHECKING:
    from starlette.responses import Response


def cookie_name(settings: Settings, what: str) -> str:
    """The name of a cookie.

    ``__Host-`` makes browsers refuse a cookie of that name from another host or without HTTPS.
    Cookies do not know ports: two processes on one machine need two names.
    """
    return f"__Host-{what}" if settings.https else f"{what}-{settings.port}"


def set_cookie(response: Response, settings: Settings, name: str, value: str, secs: int) -> None:
    response.set_cookie(
        name,
        value,
        max_age=secs,
        path="/",
        secure=settings.https,
        httponly=True,
        samesite="lax",
    )


def drop_cookie(response: Response, settings: Settings, name: str) -> None:
    # A browser drops a __Host- cookie only for an answer that could have set it.
    response.delete_cookie(name, path="/", secure=settings.https, httponly=True, samesite="lax")
