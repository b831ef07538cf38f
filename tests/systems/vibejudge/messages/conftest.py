"""Analyses that can be held up."""

from tests.systems.vibejudge.jobs.support import hold

__all__ = ["hold"]
