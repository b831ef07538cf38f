"""The headers that every answer has, unless it has its own: what browsers may do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Everything comes from here; scripts and styles are files; nobody may frame it. Attributes may
#: have a style: charts and bars have their measures in them.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_ABILITIES = ("camera", "geolocation", "microphone", "payment", "usb", "browsing-topics")
_YEAR = 31_536_000


def permissions(*allowed: str) -> str:
    """What a page may ask a browser for, as ``Permissions-Policy``; without a name, nothing."""
    return ", ".join(f"{name}={'(self)' if name in allowed else '()'}" for name in _ABILITIES)


def common(policy: str = CONTENT_SECURITY_POLICY) -> dict[str, str]:
    """What every answer has, by whichever way it was asked for."""
    return {
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "same-origin",
        "permissions-policy": permissions(),
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
    }


class SecurityHeaders:
    """Adds what is missing when an answer begins. Nothing is kept by caches unless it says so."""

    def __init__(self, app: ASGIApp, *, https: bool, policy: str = CONTENT_SECURITY_POLICY) -> None:
        self.app = app
        headers = common(policy)
        if https:
            headers["strict-transport-security"] = f"max-age={_YEAR}; includeSubDomains"
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        own = self._headers

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = message.get("headers", ())
                names = {name for name, _ in given}
                missing = [each for each in own if each[0] not in names]
                message["headers"] = [*given, *missing]
            await send(message)

        await self.app(scope, receive, with_headers)
