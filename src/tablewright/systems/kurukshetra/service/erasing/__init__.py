"""Being forgotten: on request, when an event is long over, and again after a restore.

==============  ==========================================================================
``erasing``     one person, step by step; whoever dies in between, another goes on
``steps``       what is left of a person after the row is empty
``journal``     who was erased, kept outside of the table, so that a restore can be put right
``retention``   everybody, when an event was over long enough ago
``archive``     what stays of an event, as a file
==============  ==========================================================================
"""

from tablewright.systems.kurukshetra.service.erasing.erasing import Erasing, Replayed

__all__ = ["Erasing", "Replayed"]
