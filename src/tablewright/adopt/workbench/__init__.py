"""Files of NoSQL Workbench: ``reading`` makes ``drafts`` of one, ``tables`` what is adopted."""

from tablewright.adopt.workbench.tables import read_workbench

__all__ = ["read_workbench"]
