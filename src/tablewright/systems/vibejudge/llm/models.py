"""Which model an agent asks unless it is told, and how much it may answer."""

from __future__ import annotations

from collections.abc import Mapping

from tablewright.systems.vibejudge.entities import AgentModel
from tablewright.systems.vibejudge.rules.rates import UnknownModel
from tablewright.systems.vibejudge.table import Agent, Provider

BEDROCK: Mapping[Agent, AgentModel] = {
    "bug_hunter": AgentModel(label="quick", model_id="amazon.nova-lite-v1:0"),
    "performance": AgentModel(label="quick", model_id="amazon.nova-lite-v1:0"),
    "innovation": AgentModel(
        label="thorough", model_id="us.anthropic.claude-sonnet-4-20250514-v1:0"
    ),
    "ai_detection": AgentModel(label="small", model_id="amazon.nova-micro-v1:0"),
}
#: Where nobody has named one.
NO_MODEL = "(none)"
MAX_TOKENS: Mapping[Agent, int] = {
    "bug_hunter": 2048,
    "performance": 2048,
    "innovation": 3000,
    "ai_detection": 1500,
}


def max_tokens_of(agent: Agent) -> int:
    return MAX_TOKENS[agent]


def model_of(provider: Provider, agent: Agent, default: str | None) -> AgentModel:
    """The usual model; other providers than Bedrock have none but what the settings name."""
    if default is not None:
        return AgentModel(label=default, model_id=default)
    if provider == "bedrock":
        return BEDROCK[agent]
    raise UnknownModel(NO_MODEL, "standard")
