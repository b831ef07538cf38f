"""Keys: templates that become key attributes, readable, ordered, and impossible to forge."""

from tablewright.model.keys.bound import BoundKey, Key, KeyCondition, bind
from tablewright.model.keys.parts import KeyPart
from tablewright.model.keys.ranges import Bounds, SortTerm

__all__ = ["BoundKey", "Bounds", "Key", "KeyCondition", "KeyPart", "SortTerm", "bind"]
