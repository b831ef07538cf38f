"""Python that was written from what others say: it declares a model, and does nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from tablewright import model
from tablewright.adopt import proposing

FROM = {"datetime", "decimal", "enum", "tablewright.model", "typing"}
#: What a declaration is made of, beside the words of the model.
PLAIN = {"set", "Literal"}


def inert(source: str) -> None:
    """No call, import or statement that a model has not."""
    source.encode()
    tree = ast.parse(source)
    for statement in tree.body[1:]:
        assert isinstance(
            statement, ast.ImportFrom | ast.Assign | ast.ClassDef | ast.FunctionDef
        ), source
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id in PLAIN | set(model.__all__), source
        elif isinstance(node, ast.Attribute):
            # `put(user).new()`: of what a word of the model gives.
            assert not node.attr.startswith("_"), source
            assert isinstance(node.value, ast.Call | ast.Name), source
        elif isinstance(node, ast.ImportFrom):
            assert node.module in FROM, source
        assert not isinstance(node, ast.Import | ast.Lambda | ast.NamedExpr), source


@contextmanager
def looked_at() -> Iterator[None]:
    """Meanwhile, all that is proposed is looked at before it is run for the first time."""
    load = proposing.load

    def after_a_look(source: str) -> model.Model:
        inert(source)
        return load(source)

    with patch.object(proposing, "load", after_a_look):
        yield
