"""A place in the tokens of a statement, and the few ways to go on from it."""

from __future__ import annotations

from tablewright.engine.partiql.lexer import KEYWORD, Token, malformed, tokens

_CLOSING = {")": "RIGHT_PAREN", "]": "RIGHT_BRACKET", "}": "RIGHT_CURLY", ":": "COLON"}


class TokenReader:
    """Reads the tokens of one statement from the first to the last."""

    def __init__(self, text: str) -> None:
        self._tokens = tokens(text)
        self._place = 0

    @property
    def _token(self) -> Token:
        """The token that comes next."""
        return self._tokens[self._place]

    @property
    def _following(self) -> Token:
        """The token after it."""
        return self._tokens[min(self._place + 1, len(self._tokens) - 1)]

    def _advance(self, count: int = 1) -> None:
        self._place = min(self._place + count, len(self._tokens) - 1)

    def _is_word(self, *words: str) -> bool:
        return self._token.kind == KEYWORD and self._token.text in words

    def _accept_word(self, word: str) -> bool:
        if not self._is_word(word):
            return False
        self._advance()
        return True

    def _accept(self, kind: str) -> bool:
        if self._token.kind != kind:
            return False
        self._advance()
        return True

    def _expect(self, kind: str) -> None:
        if not self._accept(kind):
            raise malformed(f"Expected {_CLOSING.get(kind, 'RIGHT_DOUBLE_ANGLE_BRACKET')}")
