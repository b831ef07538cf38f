"""Models of NoSQL Workbench, read and written.

A facet of theirs is an entity of ours, and the alias of its keys is our template. ``exporting``
writes their JSON. ``reading`` reads it into drafts, ``source`` writes a draft as Python.

What their format has no place for is lost on the way: templates of index keys (only the names of
the attributes are kept), patterns, time to live, streams and constraints. What is read back has
raw keys, as fits tables that others have filled.
"""

from tablewright.deploy.templates.workbench.exporting import export_model
from tablewright.deploy.templates.workbench.reading import read_drafts
from tablewright.deploy.templates.workbench.source import source_of


def import_model(text: str) -> str:
    """The Python source of a model, from a file of NoSQL Workbench; ModelError."""
    return source_of(read_drafts(text))


__all__ = ["export_model", "import_model", "read_drafts", "source_of"]
