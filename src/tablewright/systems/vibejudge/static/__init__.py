"""The four agents that work without a model, by fixed rules.

===================  ====================================================
``roles``            what files are for
``codebase``         a snapshot, sorted by that
``facts``            what several agents want to know, found out once
``bug_hunter``       and ``performance``, ``innovation``, ``ai_detection``: the agents
``agents``           all four: :func:`analyse`
``scorecard``        what they say, as text
===================  ====================================================
"""

from tablewright.systems.vibejudge.static.agents import analyse, rules_version
from tablewright.systems.vibejudge.static.results import AgentResult
from tablewright.systems.vibejudge.static.window import Window

__all__ = ["AgentResult", "Window", "analyse", "rules_version"]
