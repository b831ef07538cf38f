"""Tokens to statements: SELECT, INSERT, UPDATE, DELETE, and what may stand around them.

Two kinds of refusal: a text that is no PartiQL is refused where it goes wrong; what DynamoDB has
against a statement that is well formed is kept with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from tablewright.engine.errors import AwsError, validation
from tablewright.engine.partiql.lexer import END, Token, malformed
from tablewright.engine.partiql.select_grammar import SelectParser
from tablewright.engine.partiql.syntax import (
    Assignment,
    Call,
    Delete,
    Exists,
    Expression,
    Infix,
    Insert,
    Path,
    Select,
    Sequence,
    Statement,
    Target,
    Unary,
    Update,
    height,
)
from tablewright.engine.partiql.terms import MAX_DEPTH, TOO_DEEP

CACHED_STATEMENTS = 1024

_DEFINITIONS = {
    ("create", "table"): "CreateTable",
    ("create", "index"): "CreateIndex",
    ("drop", "table"): "DropTable",
    ("drop", "index"): "DropIndex",
}
_KINDS = {"Name": "Id", "Constant": "Lit", "Ion": "Lit", "Is": "IsType"}
_OPERATIONS = {
    "+": "Plus",
    "-": "Minus",
    "*": "Times",
    "/": "Divide",
    "%": "Modulo",
    "||": "Concat",
    "=": "Eq",
    "<>": "Ne",
    "<": "Lt",
    "<=": "Lte",
    ">": "Gt",
    ">=": "Gte",
    "in": "InCollection",
    "union": "BagOp",
    "except": "BagOp",
    "intersect": "BagOp",
}


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


class _Parser(SelectParser):
    """Reads one statement."""

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

    def _keyword_term(self, token: Token) -> Expression:
        if token.text == "select":
            self._advance()
            return self._select(token.at)
        readers: dict[str, Callable[[Token], Expression]] = {
            "insert": self._insert,
            "update": self._update,
            "delete": self._delete,
            "from": self._from_first,
            "set": self._bare_action,
            "remove": self._bare_action,
        }
        read = readers.get(token.text)
        if read is None:
            return self._definition(token)
        is_top = self._place == 0
        node = read(token)
        if not is_top:
            raise malformed(f"Keyword {token.text} only expected at the top level in the query")
        return node

    def _definition(self, token: Token) -> Expression:
        operation = _DEFINITIONS.get((token.text, self._following.text))
        if token.text == "exec":
            operation = "Exec"
        if operation is not None:
            raise validation(f"Unsupported operation: {operation}")
        return super()._keyword_term(token)

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
            self._refuse("Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause")
        return " ".join(words)


def _unsupported(root: Expression) -> AwsError:
    """The error of an expression that stands where a statement should."""
    kind = type(root).__name__
    if isinstance(root, Infix):
        kind = _OPERATIONS.get(root.operator, root.operator.title())
    elif isinstance(root, Unary):
        kind = {"-": "Neg", "+": "Pos"}.get(root.operator, "Not")
    elif isinstance(root, Sequence):
        kind = "Bag" if root.is_bag else "List"
    return validation(f"Unsupported operation: {_KINDS.get(kind, kind)}")
