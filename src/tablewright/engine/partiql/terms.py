"""Tokens to expressions: operators by precedence, paths, literals, calls.

A Pratt parser: :meth:`TermParser.expression` reads one term and then, as long as the next
operator binds more strongly than what is around it, joins the term with what follows. Nesting is
what recursion is used for, and it is limited; chains of operators are loops, and they are counted.
"""

from __future__ import annotations

from tablewright.engine.errors import validation
from tablewright.engine.partiql.keywords import FUNCTIONS, OPERATORS, TYPES, UNSUPPORTED
from tablewright.engine.partiql.lexer import (
    BOOLEAN,
    END,
    ION,
    KEYWORD,
    MISSING,
    NAME,
    NULL,
    NUMBER,
    QUOTED,
    STRING,
    Token,
    malformed,
)
from tablewright.engine.partiql.syntax import (
    Between,
    Call,
    Constant,
    Expression,
    Infix,
    Ion,
    Is,
    Missing,
    Name,
    Parameter,
    Path,
    Sequence,
    Star,
    Struct,
    Unary,
)
from tablewright.engine.partiql.token_reader import TokenReader

MAX_DEPTH = 64
MAX_OPERATORS = 300
TOO_DEEP = "Statement is nested too deeply"

#: Above this, a WHERE clause of a SELECT ends: set operators do not belong to it.
SELECT_BINDING = 6
_NOT_BINDING = 30
_BINDING = {
    "union": 5,
    "except": 5,
    "intersect": 5,
    "or": 10,
    "and": 20,
    "=": 40,
    "<>": 40,
    "is": 40,
    "in": 40,
    "<": 50,
    "<=": 50,
    ">": 50,
    ">=": 50,
    "between": 50,
    "like": 50,
    "+": 60,
    "-": 60,
    "||": 60,
    "*": 70,
    "/": 70,
    "%": 70,
}
_NEGATABLE = frozenset({"in", "between", "like"})


class TermParser(TokenReader):
    """Reads expressions from the tokens of one statement."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0
        self._operators = 0
        self.parameters = 0

    # --- operators -----------------------------------------------------------------------

    def expression(self, binding: int = -1) -> Expression:
        """An expression, up to the first operator that binds no more than ``binding``."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise malformed(TOO_DEEP)
        node = self._signed()
        while True:
            operator, negated = self._operator()
            if operator is None or _BINDING[operator] <= binding:
                break
            node = self._joined(node, operator, negated)
        self._depth -= 1
        return node

    def _operator(self) -> tuple[str | None, bool]:
        """The infix operator that comes next, if one does."""
        token = self._token
        if token.kind != KEYWORD:
            return (token.kind if token.kind in _BINDING else None), False
        if token.text == "not":
            following = self._following
            if following.kind == KEYWORD and following.text in _NEGATABLE:
                return following.text, True
            return None, False
        return (token.text if token.text in OPERATORS else None), False

    def _joined(self, left: Expression, operator: str, negated: bool) -> Expression:
        at = self._token.at
        self._advance(1 + negated)
        self._operators += 1
        if self._operators > MAX_OPERATORS:
            raise validation(
                f"The expression contains too many operators; operator count: {MAX_OPERATORS + 1}"
            )
        if operator == "is":
            return Is(left, negated=self._accept_word("not"), type=self._type(), at=at)
        right = self._choices() if operator == "in" else self._right(operator)
        if operator == "between":
            if not self._accept_word("and"):
                raise malformed("Expected AND")
            if self._token.kind == END:
                raise malformed("Expected expression after AND")
            return Between(left, right, self.expression(_BINDING[operator]), negated, at)
        if operator in ("and", "or") and isinstance(left, Infix) and left.operator == operator:
            return Infix(operator, (*left.operands, right), left.at)
        node = Infix(operator, (left, right), at)
        return Unary("not", node, at) if negated else node

    def _right(self, operator: str) -> Expression:
        if self._token.kind == END:
            raise malformed("Missing right-hand side expression of infix operator")
        return self.expression(_BINDING[operator])

    def _choices(self) -> Expression:
        """What follows IN: parentheses hold a list there, even around one value."""
        if self._token.kind != "(":
            return self._right("in")
        at = self._token.at
        self._advance()
        return Sequence(self._members(")"), is_bag=False, at=at)

    def _type(self) -> str:
        token = self._token
        name = token.text
        if token.kind not in (KEYWORD, NULL, MISSING):
            raise malformed("Expected type name")
        self._advance()
        for second in ("precision", "varying"):
            if f"{name} {second}" in TYPES and self._accept_word(second):
                name = f"{name} {second}"
        if name not in TYPES:
            raise malformed("Expected type name")
        if self._accept("("):
            self._members(")")
        return TYPES[name]

    def _signed(self) -> Expression:
        signs: list[Token] = []
        while self._token.kind in ("+", "-"):
            signs.append(self._token)
            self._advance()
        if self._is_word("not"):
            at = self._token.at
            self._advance()
            node: Expression = Unary("not", self.expression(_NOT_BINDING), at)
        else:
            node = self._path(self._term())
        for sign in reversed(signs):
            node = _with_sign(sign, node)
        return node

    # --- terms ---------------------------------------------------------------------------

    def _term(self) -> Expression:
        token = self._token
        kind = token.kind
        if kind in (NAME, QUOTED):
            self._advance()
            if self._accept("("):
                return Call(token.text, self._arguments(token.text), token.at)
            return Name(token.text, token.at)
        if kind in (STRING, NUMBER, BOOLEAN, NULL):
            self._advance()
            return Constant(kind, token.text, token.at)
        if kind == "?":
            self._advance()
            self.parameters += 1
            return Parameter(self.parameters - 1, token.at)
        if kind == KEYWORD:
            return self._keyword_term(token)
        if kind == MISSING:
            self._advance()
            return Missing(token.at)
        if kind == ION:
            self._advance()
            return Ion(token.at)
        return self._bracketed(token)

    def _bracketed(self, token: Token) -> Expression:
        kind = token.kind
        self._advance()
        if kind == "(":
            members = self._members(")")
            return members[0] if len(members) == 1 else Sequence(members, False, token.at)
        if kind in ("[", "<<"):
            closing = "]" if kind == "[" else ">>"
            members = () if self._accept(closing) else self._members(closing)
            return Sequence(members, kind == "<<", token.at)
        if kind == "{":
            return Struct(() if self._accept("}") else self._pairs(), token.at)
        if kind == "@":
            return self._scoped()
        raise malformed("Unexpected operator" if kind in _BINDING and kind != "*" else _TERM)

    def _scoped(self) -> Expression:
        token = self._token
        if token.kind not in (NAME, QUOTED):
            raise malformed("Identifier must follow @-operator")
        self._advance()
        return Name(token.text, token.at)

    def _keyword_term(self, token: Token) -> Expression:
        """What a keyword begins; statements are added by the subclass."""
        if token.text in OPERATORS:
            raise malformed("Unexpected operator")
        if token.text in UNSUPPORTED:
            raise validation(f"Unsupported token in expression: {token.text.upper()} at {token.at}")
        if token.text in FUNCTIONS and self._following.kind == "(":
            self._advance(2)
            return Call(token.text, self._arguments(token.text), token.at)
        raise malformed("Unexpected keyword")

    def _arguments(self, function: str) -> tuple[Expression, ...]:
        if self._accept(")"):
            return ()
        if self._token.kind == "*":
            if function != "count":
                raise malformed(f"{function}(*) is not allowed")
            self._advance()
            self._expect(")")
            return ()
        return self._members(")")

    def _members(self, closing: str) -> tuple[Expression, ...]:
        members = [self.expression()]
        while self._accept(","):
            members.append(self.expression())
        self._expect(closing)
        return tuple(members)

    def _pairs(self) -> tuple[tuple[Expression, Expression], ...]:
        pairs = [self._pair()]
        while self._accept(","):
            pairs.append(self._pair())
        self._expect("}")
        return tuple(pairs)

    def _pair(self) -> tuple[Expression, Expression]:
        key = self.expression()
        self._expect(":")
        return key, self.expression()

    # --- paths ---------------------------------------------------------------------------

    def _path(self, root: Expression) -> Expression:
        steps: list[Expression | Star] = []
        while True:
            if self._accept("."):
                steps.append(self._dot_step())
            elif self._accept("["):
                steps.append(self._bracket_step())
                self._expect("]")
            else:
                return Path(root, tuple(steps), root.at) if steps else root

    def _dot_step(self) -> Expression | Star:
        token = self._token
        self._advance()
        if token.kind in (NAME, QUOTED):
            return Name(token.text, token.at)
        if token.kind == "*":
            return Star(False, token.at)
        raise malformed("Invalid path dot component")

    def _bracket_step(self) -> Expression | Star:
        token = self._token
        if token.kind == "*":
            self._advance()
            return Star(True, token.at)
        return self.expression()

    def _simple_path(self) -> Expression:
        """A path that starts with a name and holds names and literals only."""
        token = self._token
        if token.kind not in (NAME, QUOTED):
            raise malformed("Expected identifier for simple path")
        self._advance()
        path = self._path(Name(token.text, token.at))
        for step in path.steps if isinstance(path, Path) else ():
            if isinstance(step, Star) and not step.is_bracketed:
                raise malformed("Invalid path dot component for simple path")
            if not isinstance(step, Name | Constant):
                raise malformed("Invalid path component for simple path")
        return path


_TERM = "Unexpected term"


def _with_sign(sign: Token, node: Expression) -> Expression:
    if isinstance(node, Constant) and node.kind == NUMBER:
        if sign.kind == "+":
            return node
        text = node.text[1:] if node.text.startswith("-") else f"-{node.text}"
        return Constant(NUMBER, text, node.at)
    return Unary(sign.kind, node, sign.at)
