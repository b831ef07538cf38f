"""What a call may cost, before it is made.

One function for both who asks "what would it cost" and the gate that sets money aside, over the
bytes of the very request that would be sent: so an estimate is what will be reserved.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from tablewright.systems.vibejudge.rules.rates import Cost, Rate, TokenUsage, cost_of

#: A token has at least so many bytes, in any text that models are asked about.
BYTES_PER_TOKEN = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """Of one call: so many tokens, and what they cost."""

    usage: TokenUsage
    cost: Cost

    @property
    def amount(self) -> Decimal:
        return self.cost.total


def estimate(request_bytes: int, max_tokens: int, rate: Rate) -> Estimate:
    """``bytes / 3`` in, rounded up, and as many out as the model is allowed."""
    usage = TokenUsage(input=-(-request_bytes // BYTES_PER_TOKEN), output=max_tokens)
    return Estimate(usage, cost_of(usage, rate))
