"""The texts of a ladder as a page shows them: Markdown without HTML and without pictures."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from markdown_it import MarkdownIt
from markupsafe import Markup

_PARSER: Final = MarkdownIt("commonmark", {"html": False}).disable(["image", "reference"])


@lru_cache(maxsize=2048)
def detail_html(text: str) -> Markup:
    """What is said about a level beyond its first paragraph."""
    return Markup(_PARSER.render(text))


@lru_cache(maxsize=4096)
def line_html(text: str) -> Markup:
    """The description of a level, within a line of its own."""
    return Markup(_PARSER.renderInline(text))
