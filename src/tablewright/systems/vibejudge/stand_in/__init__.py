"""Language models of one's own: two real contracts over real HTTP, with any behaviour on demand.

For demos without an account, and for tests: Bedrock's Converse and OpenAI's chat completions at one
address. There is no model behind them; scores come of simple signs in the text, and are the same
for the same text. See :class:`StandIn` and :func:`serving`.

=============  ==================================================
``minds``      what a review says, by the mind it comes from
``contract``   what was asked, and what happens next
``wires``      the documents of the two contracts
``server``     the same over HTTP
=============  ==================================================
"""

from tablewright.systems.vibejudge.stand_in.contract import Asked, Manner, StandIn
from tablewright.systems.vibejudge.stand_in.server import serving

__all__ = ["Asked", "Manner", "StandIn", "serving"]
