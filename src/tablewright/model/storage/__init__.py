"""How the values of each Python type are stored."""

from tablewright.model.storage.kinds import Storage, storage_of

__all__ = ["Storage", "storage_of"]
