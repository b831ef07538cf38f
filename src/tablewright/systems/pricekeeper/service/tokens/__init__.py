"""Tokens of clients: issued, renewed, revoked, and checked on every call.

=============  ============================================================================
``claims``     what stands in a token, how it is signed and read
``login``      how a client proves itself, and what guessing costs
``known``      tokens that were checked a moment ago
``callers``    who calls, and what they may reach
``tokens``     the use cases
=============  ============================================================================
"""

from __future__ import annotations

from tablewright.systems.pricekeeper.service.tokens.callers import Caller
from tablewright.systems.pricekeeper.service.tokens.tokens import Granted, Tokens

__all__ = ["Caller", "Granted", "Tokens"]
