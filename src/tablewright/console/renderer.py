"""Templates into responses.

Macros of ``ui.html`` are imported without the page's context, so that templates need not pass it
on; what they need of it (the CSRF token, what was typed, what was wrong) they ask for by functions,
which look at the page that is being rendered.
"""

from __future__ import annotations

import base64
import binascii
import json
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from tablewright import __version__
from tablewright.console.assets import HERE, Assets, icon_names
from tablewright.console.formats import FILTERS
from tablewright.console.frame import (
    Crumb,
    Flash,
    PageFrame,
    Place,
    crumbs,
    navigation,
    place_of,
    seen_by,
)
from tablewright.console.radar import radar
from tablewright.service.auth.principal import Principal
from tablewright.service.pages import Tone
from tablewright.service.problems import Problem

FLASH = "tw_flash"
THEME = "tw_theme"
_THEMES = ("light", "dark", "auto")
_TONES: tuple[Tone, ...] = ("success", "info", "warning", "danger")
_FLASH_SECS = 60

#: Files only, of our own; styles too, except for those that scripts set.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)


@dataclass(frozen=True)
class Visit:
    """Who looks at a page; ``csrf`` proves that its forms are ours."""

    visitor: Principal | None = None
    csrf: str = ""


@dataclass
class _Rendering:
    """The page that is being rendered."""

    csrf: str = ""
    problem: Problem | None = None
    values: Mapping[str, object] | None = None
    #: Parts come into pages that have ids of their own.
    salt: str = ""
    ids: dict[str, int] = field(default_factory=dict)


_rendering: ContextVar[_Rendering] = ContextVar("tablewright_rendering")


class Renderer:
    """Implements :class:`~tablewright.service.pages.Pages`."""

    def __init__(
        self,
        places: Sequence[Place],
        templates: Mapping[str, Path],
        assets: Assets,
        visit: Callable[[Request], Visit],
        *,
        local: bool = False,
        https: bool = False,
    ) -> None:
        self.assets = assets
        self._places = places
        self._visit = visit
        self._local = local
        self._https = https
        self._icons = icon_names()
        self._environment = _environment(templates)
        self._environment.filters.update(FILTERS)
        self._environment.globals.update(self._functions())

    def render(
        self, request: Request, template: str, *, status: int = 200, **context: object
    ) -> Response:
        """A page, or a part of one."""
        if self.assets.missing:
            return self.without_assets()
        visit = self._visit(request)
        salt = _salt() if request.headers.get("hx-request") else ""
        own = _Rendering(visit.csrf, _problem(context), _values(context), salt)
        token = _rendering.set(own)
        try:
            page = self._frame(request, visit, context)
            body = self._environment.get_template(template).render(
                **{**context, "page": page, "request": request}
            )
        finally:
            _rendering.reset(token)
        response = HTMLResponse(body, status, headers={"Content-Security-Policy": POLICY})
        if FLASH in request.cookies:
            response.delete_cookie(FLASH, path="/")
        return response

    def fragment(self, template: str, **context: object) -> str:
        """A part of a page as text, the same for everybody; no forms in it."""
        token = _rendering.set(_Rendering(salt=_salt()))
        try:
            return self._environment.get_template(template).render(**context)
        finally:
            _rendering.reset(token)

    def done(
        self, request: Request, to: str, message: str = "", *, tone: Tone = "success"
    ) -> Response:
        """Go to a page of ours and say something there, once."""
        if not to.startswith("/") or to.startswith(("//", "/\\")):
            raise ValueError(f"{to!r} is no path of ours")
        response: Response = RedirectResponse(to, 303)
        if request.headers.get("hx-request"):
            response = Response(status_code=204, headers={"HX-Redirect": to})
        if message:
            response.set_cookie(
                FLASH,
                _pack(Flash(message, tone)),
                max_age=_FLASH_SECS,
                path="/",
                secure=self._https,
                httponly=True,
                samesite="lax",
            )
        return response

    def without_assets(self) -> Response:
        """A plain page that says what to do."""
        page = self._environment.get_template("assets.html")
        body = page.render(missing=self.assets.missing, style=self.assets.url("plain.css"))
        return HTMLResponse(body, 503, headers={"Content-Security-Policy": POLICY})

    # --- inside ----------------------------------------------------------------------

    def _frame(self, request: Request, visit: Visit, context: Mapping[str, object]) -> PageFrame:
        path = request.url.path
        place = place_of(path, self._places)
        roles = visit.visitor.roles_in(place.name) if visit.visitor and place else ()
        # Of the request, so that the page that refuses one has them, too.
        own = cast("Collection[str]", getattr(request.state, "own_roles", ()))
        theme = request.cookies.get(THEME, "auto")
        seen = seen_by(self._places, visit.visitor)
        return PageFrame(
            theme=theme if theme in _THEMES else "auto",
            places=seen,
            system=place.system if place else None,
            navigation=navigation(place, visit.visitor, path, own) if place else (),
            crumbs=crumbs(
                place,
                path,
                cast("Sequence[Crumb]", context.get("crumbs", ())),
                signed_in=visit.visitor is not None,
                only=not self._local and len(seen) == 1,
            ),
            visitor=visit.visitor,
            roles=tuple(sorted(roles)),
            csrf=visit.csrf,
            flash=_unpack(request.cookies.get(FLASH, "")),
            local=self._local,
            version=__version__,
            alone=bool(self._places) and not any(each.runs for each in self._places),
            signing_in=path == "/sign-in",
        )

    def _functions(self) -> dict[str, Callable[..., object]]:
        return {
            "asset": self.assets.url,
            "icon": self._icon,
            "csrf": _csrf,
            "next_id": _next_id,
            "field_value": _field_value,
            "field_checked": _field_checked,
            "field_errors": _field_errors,
            "radar_of": radar,
        }

    def _icon(self, name: str, *, small: bool = False) -> Markup:
        """An icon beside a text that says the same; screen readers do not hear of it."""
        known = name if name in self._icons else "circle"
        size = " icon-sm" if small else ""
        place = f"{self.assets.url('icons.svg')}#{known}"
        return Markup(
            '<svg class="icon{}" viewBox="0 0 24 24" aria-hidden="true" focusable="false">'
            '<use href="{}"></use></svg>'
        ).format(size, place)


def _environment(templates: Mapping[str, Path]) -> Environment:
    """Our templates by their names, a system's below its own."""
    own = FileSystemLoader(HERE / "templates")
    systems = PrefixLoader(
        {name: FileSystemLoader(folder / name) for name, folder in templates.items()}
    )
    return Environment(
        loader=ChoiceLoader([own, systems]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


# --- what macros ask for -------------------------------------------------------------------


def _csrf() -> Markup:
    """The field that every form has."""
    token = _rendering.get().csrf
    return Markup('<input type="hidden" name="csrf_token" value="{}">').format(token)


def _next_id(name: str) -> str:
    """An id that no other element of the page has."""
    ids = _rendering.get().ids
    ids[name] = ids.get(name, 0) + 1
    return f"{name}_{ids[name]}{_rendering.get().salt}"


def _salt() -> str:
    return f"_{secrets.token_hex(4)}"


def _field_value(name: str, given: object) -> object:
    """What was typed, if the form comes back; else what the page gives."""
    values = _rendering.get().values
    found = given if values is None else values.get(name, given)
    return "" if found is None else found


def _field_checked(name: str, value: str, given: bool) -> bool:
    values = _rendering.get().values
    if values is None:
        return given
    found = values.get(name)
    return value in found if isinstance(found, list) else found == value


def _field_errors(name: str) -> list[str]:
    """What is wrong with a field; a place such as ``body.quotas.premium`` is its too."""
    problem = _rendering.get().problem
    if problem is None:
        return []
    return [each.message for each in problem.errors if _field(each.field) == name]


def _field(place: str) -> str:
    head, dot, rest = place.partition(".")
    return rest if dot and head in ("body", "query", "form") else place


def _problem(context: Mapping[str, object]) -> Problem | None:
    found = context.get("problem")
    return found if isinstance(found, Problem) else None


def _values(context: Mapping[str, object]) -> Mapping[str, object] | None:
    found = context.get("values")
    return found if isinstance(found, Mapping) else None


# --- the message for the next page ---------------------------------------------------------


def _pack(flash: Flash) -> str:
    text = json.dumps([flash.tone, flash.text[:500]])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _unpack(cookie: str) -> Flash | None:
    """Nobody signs it: all that it can do is say something to the one who has it."""
    if not cookie or len(cookie) > 3000:
        return None
    try:
        padded = cookie + "=" * (-len(cookie) % 4)
        tone, text = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
    except (ValueError, TypeError, binascii.Error):
        return None
    return Flash(str(text)[:500], tone) if tone in _TONES else None
