"""The code of a notebook, every line where the notebook's file has it."""

from __future__ import annotations

import json

_MAGIC = ("%", "!", "?")


def code_of(text: str) -> str:
    """Empty lines for all that is no code; nothing for files that are written on one line."""
    lines = text.split("\n")
    result = [""] * len(lines)
    in_code = in_source = False
    for at, line in enumerate(lines):
        said = line.strip()
        if said.startswith('"cell_type"'):
            in_code = '"code"' in said
        elif said.startswith('"source": ['):
            in_source = in_code and not said.endswith("]")
        elif in_source and said in ("]", "],"):
            in_source = False
        elif in_source:
            result[at] = _line(said)
    return "\n".join(result)


def _line(said: str) -> str:
    try:
        value = json.loads(said.removesuffix(","))
    except ValueError:
        return ""
    code = value.rstrip("\n") if isinstance(value, str) else ""
    return "" if code.lstrip().startswith(_MAGIC) else code.replace("\n", " ")
