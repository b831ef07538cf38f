"""Random text: expressions, PartiQL statements, odd strings, and text with something wrong."""

from __future__ import annotations

import random
import re
from typing import Any

KEYS = ["pk", "sk"]
ATTRIBUTES = ["g", "n", "l", "t", "c", "y", "z", "a", "b", "d", "e", "lst", "mp", "due"]
ODD_NAMES = ["", "a b", "size", "name", "AND", "\u00e9", "\U0001f600", "a.b", "1a", "x" * 300, "#"]
ODD_TEXTS = [
    "",
    " ",
    "\x00",
    "\u0000a\u0000",
    "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
    "\ufeff",
    "\u202e\u200d",
    "e\u0301",
    "\U0010ffff",
    "'\"`;--",
    "../../etc/passwd",
    "%s%n{0}",
    "x" * 5000,
    "\u00df" * 600,
    "null",
    "arn:aws:dynamodb:us-east-1:000000000000:table/Composite",
    "arn:aws:dynamodb:::table/",
]
NUMBERS = [
    *("0", "-0", "1", "-1", "1.5", "007", "+5", "1e5", "1E+125", "9.99E125", "1e126", "1e-130"),
    *("1e-131", "1e999999999", "-1e-999999999", "0.1", ".5", "5.", "1_000", "0x10", "NaN"),
    *("Infinity", "-Infinity", "", " 1", "1 ", "\u0661\u0662", "1" * 38, "1" * 39, "0." + "3" * 50),
    *("123456789012345678901234567890123456789e-3", "1" * 1000, "--1", "1e", "e1"),
]
_ALPHABET = " ()[]{}<>=,.:;#@?+-*/%'\"`\\\t\n\x000123456789abzABZ_\u00e9\U0001f600"
_TOKENS = re.compile(r"\s+|[#:]?\w+|.", re.DOTALL)
_INSERTS = [
    *("AND", "OR", "NOT", "BETWEEN", "IN", "(", ")", ",", "=", "<>", "<=", "size(", "contains("),
    *("attribute_exists(", "begins_with(", ":v", ":none", "#n", "#none", "SET", "REMOVE", "ADD"),
    *("DELETE", "if_not_exists(", "list_append(", "[0]", "[99999999999]", "[-1]", ".", "..", "\\"),
    *("SELECT", "FROM", "WHERE", "VALUE", "<<", ">>", "{", "}", "[", "]", "?", "'", '"', "NULL"),
    *("MISSING", "RETURNING", "ORDER BY", "EXISTS", "IS", "--", "/*", "1e999", "0x1", "`x`"),
]


class Words:
    """Everything textual, from one source of randomness."""

    def __init__(self, source: random.Random) -> None:
        self.random = source

    def odds(self, probability: float) -> bool:
        return self.random.random() < probability

    # --- small things ----------------------------------------------------------------

    def text(self) -> str:
        if self.odds(0.2):
            return self.random.choice(ODD_TEXTS)
        length = self.random.choice([1, 1, 2, 3, 8])
        return "".join(self.random.choice("abcxyz019 \u00e9") for _ in range(length))

    def number(self) -> str:
        if self.odds(0.15):
            return self.random.choice(NUMBERS)
        return str(self.random.randint(-20, 20))

    def attribute(self) -> str:
        if self.odds(0.05):
            return self.random.choice(KEYS)
        return self.random.choice(ODD_NAMES if self.odds(0.02) else ATTRIBUTES)

    # --- expressions -----------------------------------------------------------------

    def path(self) -> str:
        name = f"#{self.random.choice('nmk')}" if self.odds(0.4) else self.attribute()
        for _ in range(self.random.choice([0, 0, 0, 0, 0, 1, 2, 40 if self.odds(0.02) else 1])):
            step = self.random.choice([f".{self.attribute()}", ".#n", "[0]", "[1]", "[7]"])
            name += step
        return name

    def placeholder(self, kinds: str = "vwnnsltt") -> str:
        """One of the names whose values :meth:`value_of` knows."""
        return f":{self.random.choice(kinds)}"

    def value_of(self, placeholder: str) -> dict[str, Any]:
        """A value that often fits where the placeholder stands."""
        wanted: dict[str, Any] = {
            ":n": lambda: {"N": self.number()},
            ":s": lambda: {"SS": [self.random.choice("abc")]},
            ":l": lambda: {"L": [self.value(2)]},
            ":t": lambda: {"S": self.text()},
        }
        return wanted[placeholder]() if placeholder in wanted else self.value()

    def operand(self) -> str:
        roll = self.random.random()
        if roll < 0.45:
            return self.path()
        if roll < 0.9:
            return self.placeholder()
        return f"size({self.path()})"

    def condition(self, depth: int = 0) -> str:
        choice = self.random.choice
        if self.odds(0.004):
            return self._tower()
        if depth < 4 and self.odds(0.35):
            left, right = self.condition(depth + 1), self.condition(depth + 1)
            return choice([f"{left} AND {right}", f"{left} OR {right}", f"NOT {left}", f"({left})"])
        operand, path = self.operand, self.path
        return choice(
            [
                f"{operand()} {choice(['=', '<>', '<', '<=', '>', '>='])} {operand()}",
                f"{path()} {choice(['=', '<>', '<', '<=', '>', '>='])} :n",
                f"{operand()} BETWEEN {operand()} AND {operand()}",
                f"{path()} BETWEEN :n AND :n",
                f"{operand()} IN ({', '.join(operand() for _ in range(choice([1, 2, 5])))})",
                f"attribute_exists({path()})",
                f"attribute_not_exists({path()})",
                f"attribute_type({path()}, {self.placeholder('tttv')})",
                f"begins_with({path()}, {self.placeholder('tttv')})",
                f"contains({path()}, {operand()})",
                f"begins_with({operand()}, {operand()})",
                f"contains({operand()}, {operand()})",
            ]
        )

    def _tower(self) -> str:
        """Something deep or long."""
        height = self.random.choice([50, 300, 1500])
        return self.random.choice(
            [
                "(" * height + "a = :v" + ")" * height,
                "NOT " * height + "a = :v",
                " AND ".join(["a = :v"] * height),
                "a" + ".b" * height + " = :v",
                "a" + "[0]" * height + " = :v",
                f"a IN ({', '.join([':v'] * height)})",
            ]
        )

    def update(self) -> str:
        choice, path = self.random.choice, self.path
        clauses = {
            "SET": lambda: choice(
                [
                    f"{path()} = {self.placeholder()}",
                    f"{path()} = {self.operand()}",
                    f"{path()} = if_not_exists({path()}, :n) {choice('+-')} :n",
                    f"{path()} = {self.operand()} {choice('+-')} {self.operand()}",
                    f"{path()} = if_not_exists({path()}, {self.operand()})",
                    f"{path()} = list_append(:l, {self.placeholder('lv')})",
                    f"{path()} = list_append({self.operand()}, {self.operand()})",
                ]
            ),
            "REMOVE": path,
            "ADD": lambda: f"{path()} {self.placeholder('nnsv')}",
            "DELETE": lambda: f"{path()} {self.placeholder('ssv')}",
        }
        wanted = self.random.sample(["SET", *sorted(clauses)], choice([1, 1, 1, 2, 3]))
        return " ".join(
            f"{name} " + ", ".join(clauses[name]() for _ in range(choice([1, 1, 2, 3])))
            for name in wanted
        )

    def projection(self) -> str:
        return ", ".join(self.path() for _ in range(self.random.choice([1, 2, 4])))

    def key_condition(self, hash_: str, range_: str | None) -> str:
        text = f"{hash_} = :p"
        if range_ is not None and self.odds(0.6):
            operator = self.random.choice(["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"])
            if operator == "BETWEEN":
                text += f" AND {range_} BETWEEN :r AND :q"
            elif operator == "begins_with":
                text += f" AND begins_with({range_}, :r)"
            else:
                text += f" AND {range_} {operator} :r"
        return text

    # --- PartiQL ---------------------------------------------------------------------

    def literal(self, depth: int = 0) -> str:
        choice = self.random.choice
        if depth < 3 and self.odds(0.3):
            members = [self.literal(depth + 1) for _ in range(choice([0, 1, 2]))]
            names = [choice(ATTRIBUTES) for _ in members]
            fields = ", ".join(f"'{n}': {m}" for n, m in zip(names, members, strict=True))
            return choice([f"[{', '.join(members)}]", f"<<{', '.join(members)}>>", f"{{{fields}}}"])
        text = self.text().replace("'", "''")
        return choice(
            [f"'{text}'", f"'{text}'", self.number(), "?", "?", "NULL", "true", "MISSING"]
        )

    def comparison(self) -> str:
        choice = self.random.choice
        path = self.attribute() if self.odds(0.8) else f"{self.attribute()}[0].{self.attribute()}"
        return choice(
            [
                f"{path} {choice(['=', '<>', '<', '<=', '>', '>='])} {self.literal()}",
                f"{path} BETWEEN {self.literal()} AND {self.literal()}",
                f"{path} IN [{self.literal()}, {self.literal()}]",
                f"{path} IS {choice(['MISSING', 'NOT MISSING', 'NULL', 'NOT NULL'])}",
                f"begins_with({path}, {self.literal()})",
                f"contains({path}, {self.literal()})",
                f"attribute_type({path}, 'S')",
                f"size({path}) > {self.literal()}",
            ]
        )

    def where(self) -> str:
        key = self.random.choice(["pk = 'a'", "pk = ?", "pk = 'a' AND sk = 1", "pk IN ['a', 'b']"])
        parts = [key] if self.odds(0.7) else []
        parts += [self.comparison() for _ in range(self.random.choice([0, 1, 2]))]
        return f" WHERE {self.random.choice([' AND ', ' OR ']).join(parts)}" if parts else ""

    def where_key(self) -> str:
        """What writes need: the whole key."""
        key = self.random.choice([" WHERE pk = 'a'", " WHERE pk = 'a' AND sk = 1"])
        if self.odds(0.2):
            return self.where()
        return f"{key} AND {self.comparison()}" if self.odds(0.2) else key

    def statement(self, tables: list[str]) -> str:
        choice = self.random.choice
        if self.odds(0.01):
            return self._statement_tower(choice(tables))
        table = f'"{choice(tables)}"' if self.odds(0.9) else choice(tables)
        if self.odds(0.15):
            table += choice(['."by-g"', ".by_g", '."none"', ".x.y"])
        kind = choice(["SELECT", "INSERT", "UPDATE", "DELETE"])
        if kind == "SELECT":
            columns = choice(["*", "*", "pk", "a, b[0].c", "pk, pk"])
            order = choice(["", "", "", " ORDER BY sk DESC", " ORDER BY pk, sk", " LIMIT 1"])
            select = f"SELECT {columns} FROM {table}{self.where()}{order}"
            return f"EXISTS({select})" if self.odds(0.1) else select
        if kind == "INSERT":
            fields = {"pk": "'a'", "sk": "1"} if self.odds(0.8) else {}
            for _ in range(choice([0, 1, 2])):
                fields[self.attribute()] = self.literal()
            body = ", ".join(f"'{name}': {value}" for name, value in fields.items())
            return f"INSERT INTO {table} VALUE {{{body}}}"
        if kind == "UPDATE":
            changes = choice(
                [
                    f"SET {self.attribute()} = {self.literal()}",
                    f"SET {self.attribute()} = {self.attribute()} + {self.literal()}",
                    f"SET {self.attribute()} = 'x' SET {self.attribute()}[1] = 1",
                    f"REMOVE {self.attribute()}",
                    f"SET {self.attribute()} = list_append({self.attribute()}, {self.literal()})",
                    f"SET {self.attribute()} = set_add({self.attribute()}, {self.literal()})",
                ]
            )
            end = choice(["", "", " RETURNING ALL OLD *", " RETURNING MODIFIED NEW *"])
            return f"UPDATE {table} {changes}{self.where_key()}{end}"
        return f"DELETE FROM {table}{self.where_key()}{choice(['', ' RETURNING ALL OLD *'])}"

    def _statement_tower(self, table: str) -> str:
        """A deep or long statement."""
        height = self.random.choice([20, 200, 1500])
        pairs = ["[]", "()", ("<<", ">>"), ("{'a':", "}"), ("-", "")]
        opening, closing = self.random.choice(pairs)
        literal = opening * height + "1" + closing * height
        return self.random.choice(
            [
                f"SELECT * FROM {table} WHERE a = {literal}",
                f"INSERT INTO {table} VALUE {{'pk': 'a', 'x': {literal}}}",
                f"SELECT * FROM {table} WHERE {'(' * height}a = 1{')' * height}",
                f"SELECT * FROM {table} WHERE {'NOT ' * height}a = 1",
                f"SELECT * FROM {table} WHERE {' OR '.join(['a = 1'] * height)}",
                f"SELECT a{'.b' * height} FROM {table}",
                f"UPDATE {table} {'SET a = 1 ' * height} WHERE pk = 'a'",
            ]
        )

    # --- damage ----------------------------------------------------------------------

    def damaged(self, text: str) -> str:
        """The same text with a few things wrong in it."""
        for _ in range(self.random.choice([1, 1, 2, 4])):
            text = self._damage(text)
        return text

    def _damage(self, text: str) -> str:
        tokens = _TOKENS.findall(text)
        at = self.random.randrange(len(tokens) + 1)
        roll = self.random.randrange(8)
        if roll == 0 and tokens:
            del tokens[at % len(tokens)]
        elif roll == 1 and tokens:
            tokens.insert(at, tokens[self.random.randrange(len(tokens))])
        elif roll == 2 and len(tokens) > 1:
            first, second = (self.random.randrange(len(tokens)) for _ in range(2))
            tokens[first], tokens[second] = tokens[second], tokens[first]
        elif roll == 3:
            tokens.insert(at, f" {self.random.choice(_INSERTS)} ")
        elif roll == 4:
            tokens = tokens[:at]
        elif roll == 5:
            return self.random.choice([text.upper(), text.lower(), text * 2, text[::-1]])
        else:
            tokens.insert(at, self.random.choice(_ALPHABET))
        return "".join(tokens)

    def noise(self) -> str:
        length = self.random.choice([0, 1, 3, 10, 40])
        return "".join(self.random.choice(_ALPHABET) for _ in range(length))

    def maybe_damaged(self, text: str, probability: float = 0.15) -> str:
        if self.odds(0.01):
            return self.noise()
        return self.damaged(text) if self.odds(probability) else text

    # --- attribute values ------------------------------------------------------------

    def value(self, depth: int = 0) -> dict[str, Any]:
        """An attribute value; now and then one that isn't."""
        kinds = ["S", "S", "N", "N", "B", "BOOL", "NULL", "SS", "NS", "BS"]
        if depth < 3:
            kinds += ["L", "M"]
        kind = self.random.choice(kinds)
        some = range(self.random.choice([1, 1, 2, 3]))
        contents: dict[str, Any] = {
            "S": self.text,
            "N": self.number,
            "B": self.blob,
            "BOOL": lambda: self.odds(0.5),
            "NULL": lambda: not self.odds(0.03),
            "SS": lambda: [self.text() for _ in some],
            "NS": lambda: [self.number() for _ in some],
            "BS": lambda: [self.blob() for _ in some],
            "L": lambda: [self.value(depth + 1) for _ in some],
            "M": lambda: {self.attribute(): self.value(depth + 1) for _ in some},
        }
        return {kind: contents[kind]()}

    def blob(self) -> str:
        if self.odds(0.1):
            return self.random.choice(
                ["", "A", "AA=", "AA==", "A===", "\u00e9===", "AAAA\n", "-_=="]
            )
        return self.random.choice(["AA==", "AQ==", "YWJj", "/+8="])
