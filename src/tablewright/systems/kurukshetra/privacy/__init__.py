"""How people's data is kept: sealed field by field, found by keyed hashes, masked when it leaves.

:class:`~.opening.Privacy` holds the three parts; the mark on fields that drives them is in
:mod:`tablewright.systems.kurukshetra.plain`.
"""
