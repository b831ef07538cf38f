"""A place in the tokens of an expression: what stands there, going on, and complaining."""

from __future__ import annotations

from typing import NoReturn

from tablewright.expressions.errors import ExpressionError
from tablewright.expressions.lexer import END, syntax_error, tokens


class Cursor:
    """Steps through the tokens of one text; ``_kind`` is the kind of the current one."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokens(text)
        self._at = 0
        self._kind = self._tokens[0].kind
        self._last_group = (-1, -1)
        self._redundant = False

    def _advance(self) -> None:
        self._at += 1
        self._kind = self._tokens[self._at].kind

    def _accept(self, kind: str) -> bool:
        if self._kind != kind:
            return False
        self._advance()
        return True

    def _expect(self, kind: str) -> None:
        if self._kind != kind:
            self._fail()
        if kind != END:
            self._advance()

    def _close_group(self, opened: int) -> None:
        closed = self._at
        self._expect(")")
        if self._last_group == (opened + 1, closed - 1):
            self._redundant = True
        self._last_group = (opened, closed)

    def _refuse_redundant(self) -> None:
        # Called only where AWS's parser has made up its mind what the parentheses hold:
        # up to there, a syntax error further on comes first.
        if self._redundant:
            raise ExpressionError("The expression has redundant parentheses;")

    def _fail(self) -> NoReturn:
        raise ExpressionError(syntax_error(self._text, self._tokens, self._at))
