"""Whether a test file calls every pattern of a model."""

from __future__ import annotations

import ast
from pathlib import Path

from tablewright.model import Model


def never_called(model: Model, test_file: str) -> list[str]:
    """The patterns of ``model`` that no line of ``test_file`` calls."""
    tree = ast.parse(Path(test_file).read_text())
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    return sorted(set(model.patterns) - called)
