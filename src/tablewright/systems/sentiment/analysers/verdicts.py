"""How figures become a verdict: the same rules for every model.

Figures have four places, rounded half to even; labels are decided on what is stored, so that
whoever reads an article can check them.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

from tablewright.systems.sentiment.analysers.analyser import Verdict
from tablewright.systems.sentiment.shapes import Sentiment

_PLACES = Decimal("0.0001")
_HALF, _ZERO, _ONE = Decimal("0.5"), Decimal(0), Decimal(1)
#: From here on a compound is positive, and below its negative it is negative.
EDGE = Decimal("0.05")
#: A model that knows no neutral is not sure of anything below this.
SURE = Decimal("0.6")

#: What there is to say about nothing.
NOTHING = Verdict("neutral", _HALF.quantize(_PLACES), _ZERO.quantize(_PLACES))


def is_nothing(text: str) -> bool:
    """Whether there is nothing to judge: of an article without words the full stop remains."""
    return not text.replace(".", " ").strip()


def places(figure: float | Decimal) -> Decimal:
    """Four places, half to even; never minus nought."""
    return Decimal(figure).quantize(_PLACES, ROUND_HALF_EVEN) + 0


def of_compound(compound: float) -> Verdict:
    """What a lexicon's sum between -1 and 1 says."""
    polarity = places(compound)
    strength = abs(polarity)
    if strength < EDGE:
        return Verdict("neutral", places(_ONE - 10 * strength), polarity)
    return Verdict(_side(polarity), places(_HALF + strength / 2), polarity)


def of_three(negative: float, neutral: float, positive: float) -> Verdict:
    """What three probabilities say: the highest wins, and of equal ones neutral."""
    polarity = places(places(positive) - places(negative))
    top = max(negative, neutral, positive)
    if places(neutral) >= places(top) or polarity == 0:
        return Verdict("neutral", places(neutral), polarity)
    return Verdict(_side(polarity), places(top), polarity)


def of_two(negative: float, positive: float) -> Verdict:
    """What two probabilities say: neither, unless one of them is clear."""
    polarity = places(places(positive) - places(negative))
    top = places(max(negative, positive))
    if top < SURE:
        return Verdict("neutral", places(_ONE - abs(polarity)), polarity)
    return Verdict(_side(polarity), top, polarity)


def _side(polarity: Decimal) -> Sentiment:
    return "positive" if polarity > 0 else "negative"
