"""What renders a system's pages. The console does; a system knows only this.

A page of a system is a route like any other: it calls a use case and hands what it got to a
template. Templates lie in ``systems/<name>/templates/<name>/`` and begin with::

    {% extends "frame.html" %}
    {% import "ui.html" as ui %}
    {% block title %}Organisations{% endblock %}
    {% block content %}…{% endblock %}

A template of a part of a page, which htmx fetches by itself, extends nothing. A page raises
:class:`~tablewright.service.problems.Problem` as the API does; the console shows it as a page. A
form that is refused is rendered again with ``problem=`` and ``values=`` (what was typed), so that
nobody has to type it twice: ``ui.field`` finds both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

Tone = Literal["success", "info", "warning", "danger"]


class Pages(Protocol):
    """Turns a template and what it shows into a response."""

    def render(
        self, request: Request, template: str, *, status: int = 200, **context: object
    ) -> Response:
        """A page, or a part of one. ``problem`` and ``values`` of the context are for forms."""
        ...

    def fragment(self, template: str, **context: object) -> str:
        """A part of a page as text, the same for everybody: for events. No forms in it."""
        ...

    def done(
        self, request: Request, to: str, message: str = "", *, tone: Tone = "success"
    ) -> Response:
        """After a form did its work: go to the page ``to`` (a path) and say so there, once."""
        ...
