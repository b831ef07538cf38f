"""How help looks: plain text that flows with the width of the terminal.

cyclopts would have docstrings read as Markdown, and what reads Markdown takes longer to import than
all else that a page of help needs. Here the lines of a paragraph are joined, and that is all.
Nothing is imported before somebody asks for help.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cyclopts.help import DefaultFormatter, HelpPanel, InlineText
    from rich.console import Console, ConsoleOptions

#: The end of a line in a paragraph; what is indented or begins with a mark stays in its line.
_WRAPPED = re.compile(r"(?<=\S)\n(?=[^\s\-*>])")


class FlowingHelp:
    """Renders pages of help, as cyclopts asks for it."""

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        for entry in panel.entries:
            flow(entry.description)
        self._default(console, options, panel)

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:
        self._default.render_usage(console, options, usage)

    def render_description(
        self, console: Console, options: ConsoleOptions, description: Any
    ) -> None:
        flow(description)
        self._default.render_description(console, options, description)

    @cached_property
    def _default(self) -> DefaultFormatter:
        from cyclopts.help import DefaultFormatter

        return DefaultFormatter()


def flow(described: InlineText | object) -> None:
    """Join the lines of each paragraph."""
    from cyclopts.help import InlineText
    from rich.text import Text

    if isinstance(described, InlineText) and isinstance(described.primary_renderable, Text):
        text = described.primary_renderable
        described.primary_renderable = Text(flowing(text.plain), end=text.end)


def flowing(text: str) -> str:
    """The text with a line for each paragraph."""
    return _WRAPPED.sub(" ", text)
