"""Tokens to SELECT, and what other statements share with it: tables, aliases.

A statement that is PartiQL but not for DynamoDB (aliases, joins, GROUP BY) is read to its end and
refused then, because AWS reports what is malformed before it reports what is unsupported.
"""

from __future__ import annotations

from tablewright.engine.partiql.lexer import NAME, QUOTED, malformed
from tablewright.engine.partiql.syntax import (
    Expression,
    Name,
    Order,
    Path,
    Position,
    Select,
    Star,
    Target,
)
from tablewright.engine.partiql.terms import SELECT_BINDING, TermParser

_JOINS = ("join", "inner", "left", "right", "full", "outer", "cross")


class SelectParser(TermParser):
    """Reads SELECT statements."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._refusal: str | None = None

    def _refuse(self, message: str) -> None:
        """Remember the first thing DynamoDB does not support."""
        self._refusal = self._refusal or message

    def _select(self, at: Position) -> Select:
        if self._accept_word("distinct"):
            self._refuse("Unsupported token in expression: DISTINCT")
        else:
            self._accept_word("all")
        if self._accept_word("value"):
            self._refuse("Select projection doesn't support value or pivot keywords")
            columns: tuple[Expression, ...] | None = (self.expression(),)
        else:
            columns = self._columns()
        if not self._accept_word("from"):
            raise malformed("Expected FROM after SELECT list")
        target = self._source(SELECT_BINDING)
        where = self.expression(SELECT_BINDING) if self._accept_word("where") else None
        order = self._order()
        self._further_clauses()
        return Select(columns, target, where, order, at)

    def _columns(self) -> tuple[Expression, ...] | None:
        columns: list[Expression] = []
        stars = 0
        while True:
            if self._accept("*"):
                stars += 1
            else:
                columns.append(self._column())
            if not self._accept(","):
                break
        if stars and stars + len(columns) > 1:
            raise malformed(
                "Other expressions may not be present in the select list when '*' is used "
                "without dot notation."
            )
        return None if stars else tuple(columns)

    def _column(self) -> Expression:
        column = self.expression()
        if isinstance(column, Path) and any(isinstance(step, Star) for step in column.steps):
            *inner, last = column.steps
            if any(isinstance(step, Star) for step in inner) or _is_bracketed(last):
                raise malformed("Invalid use of * in select list")
            self._refuse("Changing item's hierarchy while reading isn't supported")
        self._alias()
        return column

    def _source(self, binding: int) -> Target:
        """The one table or index after FROM."""
        target = self._target(self.expression(binding))
        self._alias()
        while self._token.kind == "," or self._is_word(*_JOINS):
            self._refuse("Only select from a single table or index is supported.")
            self._advance()
            while self._is_word(*_JOINS):
                self._advance()
            self.expression(binding)
            self._alias()
            if self._accept_word("on"):
                self.expression(binding)
        return target

    def _alias(self) -> None:
        for word in ("as", "at", "by"):
            if self._accept_word(word):
                if self._token.kind not in (NAME, QUOTED):
                    raise malformed(f"Expected identifier for {word.upper()}-alias")
            elif word != "as" or self._token.kind not in (NAME, QUOTED):
                continue
            self._advance()
            self._refuse("Aliasing is not supported")

    def _order(self) -> tuple[Order, ...]:
        if not self._accept_word("order"):
            return ()
        if not self._accept_word("by"):
            raise malformed("Expected BY")
        terms = [self._order_term()]
        while self._accept(","):
            terms.append(self._order_term())
        return tuple(terms)

    def _order_term(self) -> Order:
        by = self.expression()
        if self._accept_word("asc"):
            return Order(by, descending=False)
        return Order(by, descending=self._accept_word("desc"))

    def _further_clauses(self) -> None:
        if self._accept_word("group"):
            self._accept_word("partial")
            if not self._accept_word("by"):
                raise malformed("Expected BY")
            self.expression(SELECT_BINDING)
            while self._accept(","):
                self.expression(SELECT_BINDING)
            self._refuse("Unsupported clause: GROUP BY")
        for word in ("having", "limit"):
            if self._accept_word(word):
                at = self.expression(SELECT_BINDING).at
                self._refuse(f"Unsupported clause: {word.upper()} at {at}")

    def _target(self, source: Expression) -> Target:
        """The table that ``source`` names, and the index."""
        names = [source.root, *source.steps] if isinstance(source, Path) else [source]
        if not isinstance(names[0], Name):
            self._refuse("Unexpected from source")
        elif not all(isinstance(name, Name) for name in names):
            self._refuse("Invalid list expression in source.")
        elif len(names) > 2:
            self._refuse("A path may contain at most 2 components in the FROM clause")
        else:
            texts = [name.text for name in names if isinstance(name, Name)]
            if not all(texts):
                self._refuse("Path component cannot be an empty string")
            return Target(texts[0], texts[1] if len(texts) > 1 else None, source.at)
        return Target("", None, source.at)


def _is_bracketed(step: Expression | Star) -> bool:
    return isinstance(step, Star) and step.is_bracketed
