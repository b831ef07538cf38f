"""Measurements of Tablewright; not part of the installed package."""
