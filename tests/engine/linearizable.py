"""Is a history of operations on one register linearizable?

An operation has a moment when it was called and one when it returned. The history is linearizable
if there is one order of all operations that respects real time (what returned before another was
called comes first) and in which every operation's result is right. The search is Wing and Gong's,
with the visited (done operations, state) pairs remembered.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Operation:
    """``read`` returns ``result``; ``write`` stores ``value``; ``swap`` stores ``value`` if the
    register held ``expected``, and ``result`` says whether it did. A write whose outcome is not
    known has ``returned`` at infinity."""

    kind: str
    called: float
    returned: float
    value: str | None = None
    expected: str | None = None
    result: str | bool | None = None


def after(operation: Operation, state: str | None) -> tuple[bool, str | None]:
    """Whether the result fits, and the register's next state."""
    if operation.kind == "read":
        return operation.result == state, state
    if operation.kind == "write":
        return True, operation.value
    matched = operation.expected == state
    return operation.result == matched, operation.value if matched else state


def is_linearizable(history: list[Operation], state: str | None = None) -> bool:
    """True if one order explains all results."""
    history = sorted(history, key=lambda operation: operation.called)
    everything = (1 << len(history)) - 1
    seen: set[tuple[int, str | None]] = set()
    stack = [(0, state)]
    while stack:
        done, current = stack.pop()
        if done == everything:
            return True
        if (done, current) in seen:
            continue
        seen.add((done, current))
        deadline = min(
            operation.returned for n, operation in enumerate(history) if not done >> n & 1
        )
        for n, operation in enumerate(history):
            if operation.called > deadline:
                break
            if not done >> n & 1:
                fits, following = after(operation, current)
                if fits:
                    stack.append((done | 1 << n, following))
    return False
