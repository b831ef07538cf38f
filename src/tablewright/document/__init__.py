"""The document of a model: what a data-model document says, made from the model itself.

``whole`` joins the sections, each of which is a module: tables, entities, indexes, patterns,
writes, samples, lifecycle. ``mermaid`` and ``svg`` draw. The same model always makes the same text,
so that a committed document can be compared with what the model says now.
"""

from tablewright.document.mermaid import mermaid
from tablewright.document.svg import svg
from tablewright.document.whole import document

__all__ = ["document", "mermaid", "svg"]
