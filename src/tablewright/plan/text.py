"""Tables and figures as people read them in a terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> str:
    """Columns side by side: those numbered in ``left`` to the left, the others to the right."""
    lines = [list(head), *(list(row) for row in rows)]
    widths = [max(len(line[number]) for line in lines) for number in range(len(head))]
    shown = []
    for line in lines:
        cells = [
            cell.ljust(width) if number in left else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        shown.append(("  " + "  ".join(cells)).rstrip())
    rule = "  " + "  ".join("-" * width for width in widths)
    return "\n".join([shown[0], rule, *shown[1:]])


def figure(value: float) -> str:
    """A number of units or calls: exact while it is small, in thousands or millions beyond."""
    for limit, sign in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= limit:
            scale = {"G": 1e9, "M": 1e6, "k": 1e3}[sign]
            return f"{value / scale:.4g}{sign}"
    return f"{value:.4g}" if value != int(value) else f"{int(value)}"


def times(value: float) -> str:
    """A factor."""
    return f"{value:,.0f}x" if value >= 100 else f"{value:.3g}x"


def dollars(value: float) -> str:
    """An amount with its cents, and more of them where there is less."""
    if 0.00005 <= abs(value) < 0.005:
        return f"${value:.4f}"
    # Not minus nothing, which rounding may leave.
    return f"${value if abs(value) >= 0.005 else 0:,.2f}"


def size(value: float) -> str:
    """Bytes."""
    for unit in ("B", "KB", "MB", "GB"):
        if abs(value) < 1024:
            return f"{value:.3g} {unit}"
        value /= 1024
    return f"{value:,.4g} TB"
