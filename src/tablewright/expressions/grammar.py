"""Tokens to syntax trees: the grammar of all expressions, by hand.

    condition   = [NOT] (comparison | operand BETWEEN operand AND operand
                | operand IN (operand, ...) | call | "(" condition ")")
                  joined by AND and OR, NOT before AND before OR
    operand     = path | :value | call | "(" operand ")"
    call        = name "(" operand, ... ")"
    path        = (name | #name) { "." (name | #name) | "[" index "]" }
    update      = SET path = value, ... | REMOVE path, ... | ADD path :value, ...
                | DELETE path :value, ...       the sections in any order
    value       = operand | operand (+|-) operand | "(" value ")"
    projection  = path, ...

Parentheses are the one difficulty: only what follows ``(a`` tells whether an operand or a
condition was opened. So nothing is decided at the parenthesis; what stands inside is read
first, and a closing parenthesis keeps it what it is. Where nesting can be deep (parentheses,
NOT, calls) an explicit stack takes the place of recursion: 4 KB hold 4,000 parentheses.
"""

from __future__ import annotations

from dataclasses import dataclass

from tablewright.expressions.cursor import Cursor
from tablewright.expressions.lexer import (
    END,
    INDEX,
    NAME,
    NAME_REF,
    VALUE_REF,
)
from tablewright.expressions.nodes import (
    Action,
    Add,
    And,
    Arithmetic,
    Attribute,
    Between,
    Call,
    Comparison,
    Condition,
    Delete,
    In,
    NameRef,
    Not,
    Operand,
    Or,
    Remove,
    Set,
    Value,
    ValueRef,
)

_COMPARATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_BINDING = {"(": 0, "OR": 1, "AND": 2, "NOT": 3}


@dataclass
class Section:
    """One clause of an update expression."""

    keyword: str
    actions: list[Action]


class Parser(Cursor):
    """Reads one expression; :attr:`operators` and the references are counted on the way."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.operators = 0
        self.name_refs: dict[str, None] = {}
        self.value_refs: dict[str, None] = {}

    # --- entry points --------------------------------------------------------------------

    def condition(self) -> Condition:
        """A whole condition, filter or key condition expression."""
        root = self._condition()
        self._expect(END)
        return root

    def update(self) -> list[Section]:
        """A whole update expression, clause by clause."""
        sections = [self._section()]
        while self._kind != END:
            sections.append(self._section())
        return sections

    def projection(self) -> list[Attribute]:
        """A whole projection expression."""
        paths = [self._path()]
        while self._accept(","):
            paths.append(self._path())
        self._expect(END)
        return paths

    # --- conditions ----------------------------------------------------------------------

    def _condition(self) -> Condition:
        done: list[Condition] = []
        opened: list[tuple[str, int]] = []
        while True:
            while self._kind in ("NOT", "("):
                opened.append((self._kind, self._at))
                self._advance()
            done.append(self._completed(self._bare_operand(), opened, done))
            if self._kind not in ("AND", "OR"):
                break
            self._reduce(opened, done, _BINDING[self._kind])
            opened.append((self._kind, self._at))
            self._advance()
        self._reduce(opened, done, 1)
        if opened:
            self._fail()
        return done[0]

    def _completed(
        self, node: Operand | Condition, opened: list[tuple[str, int]], done: list[Condition]
    ) -> Condition:
        """The condition that an operand begins: predicates behind it, parentheses around it."""
        while True:
            if self._kind in _COMPARATORS or self._kind in ("BETWEEN", "IN"):
                self._refuse_redundant()
                node = self._predicate(self._as_operand(node))
            elif self._kind == ")" and opened:
                node = self._close(node, opened, done)
            else:
                return self._as_condition(node)

    def _close(
        self, node: Operand | Condition, opened: list[tuple[str, int]], done: list[Condition]
    ) -> Operand | Condition:
        if opened[-1][0] != "(":
            done.append(self._as_condition(node))
            self._reduce(opened, done, 1)
            if not opened:
                self._fail()
            node = done.pop()
        self._close_group(opened.pop()[1])
        if not isinstance(node, Attribute | ValueRef):
            self._refuse_redundant()
        return node

    def _reduce(self, opened: list[tuple[str, int]], done: list[Condition], binding: int) -> None:
        """Apply what was opened and binds at least as strongly as ``binding``."""
        while opened and _BINDING[opened[-1][0]] >= binding:
            operator, _ = opened.pop()
            self.operators += 1
            last = done.pop()
            if operator == "NOT":
                done.append(Not(last))
            else:
                done.append(_joined(And if operator == "AND" else Or, done.pop(), last))

    def _predicate(self, left: Operand) -> Condition:
        operator = self._kind
        self._advance()
        self.operators += 1
        if operator == "BETWEEN":
            low = self._operand()
            self._expect("AND")
            return Between(left, low, self._operand())
        if operator == "IN":
            self._expect("(")
            choices = [self._operand()]
            while self._accept(","):
                choices.append(self._operand())
            self._expect(")")
            return In(left, tuple(choices))
        return Comparison(operator, left, self._operand())

    def _as_operand(self, node: Operand | Condition) -> Operand:
        if isinstance(node, Attribute | ValueRef | Call):
            return node
        self._fail()

    def _as_condition(self, node: Operand | Condition) -> Condition:
        if isinstance(node, Comparison | Between | In | Call | And | Or | Not):
            return node
        self._fail()

    # --- updates -------------------------------------------------------------------------

    def _section(self) -> Section:
        keyword = self._kind
        if keyword not in ("SET", "REMOVE", "ADD", "DELETE"):
            self._fail()
        self._advance()
        actions = [self._action(keyword)]
        while self._accept(","):
            actions.append(self._action(keyword))
        return Section(keyword, actions)

    def _action(self, keyword: str) -> Action:
        target = self._path()
        if keyword == "REMOVE":
            return Remove(target)
        if keyword == "SET":
            self._expect("=")
            return Set(target, self._value())
        if self._kind != VALUE_REF:
            self._fail()
        return (Add if keyword == "ADD" else Delete)(target, self._value_ref())

    def _value(self) -> Value:
        opened = []
        while self._kind == "(":
            opened.append(self._at)
            self._advance()
        value: Value = self._bare_operand()
        while True:
            if self._kind in ("+", "-") and not isinstance(value, Arithmetic):
                operator = self._kind
                self._advance()
                self.operators += 1
                value = Arithmetic(operator, value, self._operand())
            elif self._kind == ")" and opened:
                self._close_group(opened.pop())
                self._refuse_redundant()
            elif opened:
                self._fail()
            else:
                return value

    # --- operands ------------------------------------------------------------------------

    def _operand(self) -> Operand:
        """An operand, parenthesised or not."""
        opened = []
        while self._kind == "(":
            opened.append(self._at)
            self._advance()
        operand = self._bare_operand()
        while opened:
            self._close_group(opened.pop())
            self._refuse_redundant()
        return operand

    def _bare_operand(self) -> Operand:
        """An operand that does not start with a parenthesis."""
        # Innermost last: a call with the operands read so far, or an opened parenthesis.
        pending: list[tuple[str, list[Operand]] | int] = []
        while True:
            if self._kind == NAME and self._tokens[self._at + 1].kind == "(":
                pending.append((self._tokens[self._at].text, []))
                self._advance()
                self._advance()
                continue
            if self._kind == "(" and pending:
                pending.append(self._at)
                self._advance()
                continue
            operand = self._value_ref() if self._kind == VALUE_REF else self._path()
            finished = self._finish_calls(operand, pending)
            if finished is not None:
                return finished

    def _finish_calls(
        self, operand: Operand, pending: list[tuple[str, list[Operand]] | int]
    ) -> Operand | None:
        while pending:
            innermost = pending[-1]
            if isinstance(innermost, int):
                self._close_group(innermost)
            else:
                function, operands = innermost
                operands.append(operand)
                if self._accept(","):
                    return None
                self._expect(")")
                self.operators += 1
                operand = Call(function, tuple(operands))
            pending.pop()
        if isinstance(operand, Call):
            self._refuse_redundant()
        return operand

    def _value_ref(self) -> ValueRef:
        text = self._tokens[self._at].text
        self._advance()
        self.value_refs[text] = None
        return ValueRef(text)

    def _path(self) -> Attribute:
        steps: list[str | int | NameRef] = [self._name()]
        while True:
            if self._accept("."):
                steps.append(self._member())
            elif self._accept("["):
                steps.append(self._index())
                self._expect("]")
            else:
                return Attribute(tuple(steps))

    def _name(self) -> str | NameRef:
        text = self._tokens[self._at].text
        if self._kind == NAME:
            self._advance()
            return text
        if self._kind == NAME_REF:
            self._advance()
            self.name_refs[text] = None
            return NameRef(text)
        self._fail()

    def _member(self) -> str | NameRef:
        if self._kind == VALUE_REF:
            # AWS's grammar takes it for a name here, and then finds no such name.
            text = self._tokens[self._at].text
            self._advance()
            self.name_refs[text] = None
            return NameRef(text)
        return self._name()

    def _index(self) -> int:
        if self._kind != INDEX:
            self._fail()
        text = self._tokens[self._at].text
        self._advance()
        return int(text)


def _joined(kind: type[And] | type[Or], left: Condition, right: Condition) -> Condition:
    # A chain is one node however long it is, so that evaluating it needs no depth.
    if isinstance(left, kind):
        return kind((*left.parts, right))
    return kind((left, right))
