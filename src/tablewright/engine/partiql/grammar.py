"""Tokens to statements: SELECT, INSERT, UPDATE, DELETE, and what may stand around them.

Two kinds of refusal: a text that is no PartiQL is refused where it goes wrong; a statement that
is PartiQL but not for DynamoDB (aliases, joins, GROUP BY) is read to its end first, because AWS
reports what is malformed before it reports what is unsupported.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from tablewright.engine.errors import AwsError, validation
from tablewright.engine.partiql.lexer import END, NAME, QUOTED, Token, malformed
from tablewright.engine.partiql.syntax import (
    Assignment,
    Call,
    Delete,
    Exists,
    Expression,
    Insert,
    Name,
    Order,
    Path,
    Position,
    Select,
    Star,
    Statement,
    Target,
    Update,
    height,
)
from tablewright.engine.partiql.terms import MAX_DEPTH, SELECT_BINDING, TOO_DEEP, TermParser

CACHED_STATEMENTS = 1024

_JOINS = ("join", "inner", "left", "right", "full", "outer", "cross")
_DEFINITIONS = {
    ("create", "table"): "CreateTable",
    ("create", "index"): "CreateIndex",
    ("drop", "table"): "DropTable",
    ("drop", "index"): "DropIndex",
}
_KINDS = {"Name": "Id", "Constant": "Lit", "Is": "IsType", "Sequence": "List"}


@dataclass(frozen=True, slots=True)
class Parsed:
    """A statement, how many parameters it takes, and what DynamoDB has against it."""

    statement: Statement
    parameters: int
    refusal: str | None


@lru_cache(CACHED_STATEMENTS)
def parse(text: str) -> Parsed:
    """Read one statement; raises AWS's error if it is not well formed."""
    return _Parser(text).statement()


class _Parser(TermParser):
    """Reads one statement."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._refusal: str | None = None

    def statement(self) -> Parsed:
        root = self.expression()
        self._accept(";")
        if self._token.kind != END:
            after = self._tokens[self._place - 1].kind
            raise malformed(
                "Unexpected token after semicolon. (Only one query is allowed.)"
                if after == ";"
                else "Unexpected token after expression"
            )
        # Chains of operators make a tree as deep as parentheses do.
        if height(root) > 2 * MAX_DEPTH:
            raise malformed(TOO_DEEP)
        if isinstance(root, Call) and root.function == "exists":
            (inner, *more) = (*root.arguments, None)
            if isinstance(inner, Select) and more == [None]:
                root = Exists(inner, root.at)
        if not isinstance(root, Select | Insert | Update | Delete | Exists):
            raise _unsupported(root)
        return Parsed(root, self.parameters, self._refusal)

    def _refuse(self, message: str) -> None:
        """Remember the first thing DynamoDB does not support."""
        self._refusal = self._refusal or message

    def _keyword_term(self, token: Token) -> Expression:
        if token.text == "select":
            self._advance()
            return self._select(token.at)
        read = {
            "insert": self._insert,
            "update": self._update,
            "delete": self._delete,
            "from": self._from_first,
            "set": self._bare_action,
            "remove": self._bare_action,
        }.get(token.text)
        if read is None:
            return self._definition(token)
        is_top = self._place == 0
        node = read(token)
        if not is_top:
            raise malformed(f"Keyword {token.text} only expected at the top level in the query")
        return node

    def _definition(self, token: Token) -> Expression:
        following = self._tokens[self._place + 1 : self._place + 2]
        operation = _DEFINITIONS.get((token.text, following[0].text if following else ""))
        if token.text == "exec":
            operation = "Exec"
        if operation is not None:
            raise validation(f"Unsupported operation: {operation}")
        return super()._keyword_term(token)

    # --- SELECT --------------------------------------------------------------------------

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

    # --- INSERT, UPDATE, DELETE ----------------------------------------------------------

    def _insert(self, token: Token) -> Insert:
        self._advance()
        if not self._accept_word("into"):
            raise malformed("Unexpected keyword")
        path = self._simple_path()
        if isinstance(path, Path):
            self._refuse(
                "FROM clause may only contain a single table name in data manipulation "
                f"statements at {path.at}"
            )
            target = Target("", None, path.at)
        else:
            target = self._target(path)
        if not self._accept_word("value"):
            item = self.expression()
            self._refuse("Unsupported operation: InsertOp")
            return Insert(target, item, token.at)
        item = self.expression()
        if self._accept_word("at"):
            self.expression()
            self._refuse(f"AT is not supported in insert statements. at {token.at}")
        self._on_conflict()
        if self._returning() is not None:
            self._refuse("RETURNING is not supported in INSERT")
        return Insert(target, item, token.at)

    def _on_conflict(self) -> None:
        if not self._accept_word("on"):
            return
        if not (self._accept_word("conflict") and self._accept_word("where")):
            raise malformed("invalid ON CONFLICT syntax")
        self.expression()
        if not (self._accept_word("do") and self._accept_word("nothing")):
            raise malformed("invalid ON CONFLICT syntax")
        self._refuse("ON CONFLICT is not supported in INSERT")

    def _update(self, token: Token) -> Update:
        self._advance()
        target = self._target(self._simple_path())
        self._alias()
        assignments = self._assignments()
        where = self.expression() if self._accept_word("where") else None
        return Update(target, assignments, where, self._returning(), token.at)

    def _from_first(self, token: Token) -> Update:
        self._advance()
        target = self._source(-1)
        where = self.expression() if self._accept_word("where") else None
        if self._is_word("insert"):
            self._insert(self._token)
            self._refuse(
                f"Unsupported FROM ... WHERE ... clause in INSERT statement. at {token.at}"
            )
            return Update(target, (), where, None, token.at)
        assignments = self._assignments()
        return Update(target, assignments, where, self._returning(), token.at)

    def _bare_action(self, token: Token) -> Update:
        assignments = self._assignments()
        self._refuse("Only select from a single table or index is supported.")
        return Update(Target("", None, token.at), assignments, None, None, token.at)

    def _assignments(self) -> tuple[Assignment, ...]:
        if not self._is_word("set", "remove"):
            raise malformed("Expected data manipulation")
        found: list[Assignment] = []
        while self._is_word("set", "remove"):
            if self._accept_word("remove"):
                found.append(Assignment(self._simple_path(), None))
                continue
            self._advance()
            found.append(self._assignment())
            while self._accept(","):
                found.append(self._assignment())
        return tuple(found)

    def _assignment(self) -> Assignment:
        target = self._simple_path()
        if not self._accept("="):
            raise malformed("Expected '='")
        return Assignment(target, self.expression())

    def _delete(self, token: Token) -> Delete:
        self._advance()
        if not self._accept_word("from"):
            raise malformed("Expected FROM after DELETE")
        target = self._target(self._simple_path())
        self._alias()
        where = self.expression() if self._accept_word("where") else None
        returning = self._returning()
        if returning not in (None, "ALL OLD"):
            self._refuse(
                f"Invalid returning clause: RETURNING {returning} *. "
                "Only RETURNING ALL OLD * is allowed in DELETE statements."
            )
        return Delete(target, where, returning, token.at)

    def _returning(self) -> str | None:
        if not self._accept_word("returning"):
            return None
        wanted = self._returning_element()
        while self._accept(","):
            self._returning_element()
            self._refuse("Invalid syntax with multiple returning elements in RETURNING clause")
        return wanted

    def _returning_element(self) -> str:
        words = []
        for allowed in (("modified", "all"), ("new", "old")):
            if not self._is_word(*allowed):
                raise malformed(
                    "Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element."
                )
            words.append(self._token.text.upper())
            self._advance()
        if not self._accept("*"):
            self.expression()
            self._refuse(
                "Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause"
            )
        return " ".join(words)

    # --- tables --------------------------------------------------------------------------

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


def _unsupported(root: Expression) -> AwsError:
    kind = type(root).__name__
    return validation(f"Unsupported operation: {_KINDS.get(kind, kind)}")
