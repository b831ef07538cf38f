"""Tablewright: DynamoDB data models that run, and the embedded database they run on."""

__all__ = ["__version__"]

__version__ = "0.1.0"
