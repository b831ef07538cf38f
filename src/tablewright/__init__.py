"""Tablewright: DynamoDB data models that run, and the embedded database they run on."""

from tablewright.native import settle

__all__ = ["__version__"]

__version__ = "0.1.0"

settle()
del settle
