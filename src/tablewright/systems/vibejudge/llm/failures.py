"""How asking a model goes wrong.

::

    CallFailed
     ├── NotBilled          it certainly was not answered, and costs nothing
     │    ├── Throttled     too many questions; it may say for how long to wait
     │    ├── Faulty        an error of theirs: it may be better in a moment
     │    └── Refused       it would be refused again
     │         └── Misconfigured   whatever is asked, until a setting is changed
     └── Lost               nobody knows whether it was answered: it counts as if it was

    AgentFailed             an agent without a result, and what it has cost
    BudgetRefused           there is no money for a call; nothing was called
    UnknownModel            (rules.rates) there is no price; nothing was called
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.systems.vibejudge.rules.rates import UnknownModel
from tablewright.systems.vibejudge.table import Agent

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.llm.ports import CallCost

__all__ = [
    "AgentFailed",
    "BudgetRefused",
    "CallFailed",
    "Faulty",
    "Lost",
    "Misconfigured",
    "NotBilled",
    "Refused",
    "Throttled",
    "UnknownModel",
]


class CallFailed(Exception):
    """A call without an answer; ``code`` is for programs, the text may be shown."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class NotBilled(CallFailed):
    """It certainly was not answered."""


class Throttled(NotBilled):
    """Too many questions; ``seconds`` if it says for how long to wait."""

    def __init__(self, reason: str, seconds: float | None = None) -> None:
        super().__init__("throttled", reason)
        self.seconds = seconds


class Faulty(NotBilled):
    """An error of theirs, or nobody there."""


class Refused(NotBilled):
    """It would be refused again: no access, no such model, a question that it does not take."""


class Misconfigured(Refused):
    """It would be refused whatever is asked, until somebody changes a setting."""


class Lost(CallFailed):
    """The question was sent, and nothing came back: it may have been answered, and billed."""


class AgentFailed(Exception):
    """An agent that has no result."""

    def __init__(
        self,
        agent: Agent,
        code: str,
        reason: str,
        costs: tuple[CallCost, ...] = (),
        answers: tuple[str, ...] = (),
    ) -> None:
        super().__init__(f"{agent}: {reason}")
        self.agent = agent
        self.code = code
        self.reason = reason
        #: Nothing is answered until somebody changes a setting.
        self.misconfigured = False
        #: Of every call that was made, in their order.
        self.costs = costs
        #: What the model said, if it did.
        self.answers = answers


class BudgetRefused(Exception):
    """Not enough is left to make a call: the task is blocked until there is more."""

    code = "budget"
