"""Asking before something that costs money, or that there is no way back from."""

from tablewright.service.agreeing import agreed

__all__ = ["agreed"]
