"""What a component does beside running its own patterns, said by the model's author.

A module ``access`` beside the model has a function ``access()`` that gives an :class:`Access`. The
templates take it up by themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Access:
    """By component."""

    #: The tables whose changes it follows.
    feeds: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: Components that only ask how far others have followed changes.
    asking: Collection[str] = ()
    #: The tables that it takes backups of, whose old ones it deletes.
    backups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: Patterns of other components that it runs too, such as an audit entry in its transaction.
    beside: Mapping[str, Sequence[str]] = field(default_factory=dict)
