"""The texts that models are given, one for each agent.

Their version is that of their words: whoever changes one, or the schema of an answer, gets another
version without having to think of it, and a run tells by which one it was made.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

import orjson

from tablewright.systems.vibejudge.entities import ALL_AGENTS
from tablewright.systems.vibejudge.llm.answers import SUB_SCORES, schema_of
from tablewright.systems.vibejudge.table import Agent

#: Of what the texts mean; to be raised when answers of before cannot be compared any more.
MAJOR = 1


@cache
def text_of(name: str) -> str:
    return files(__package__).joinpath(f"{name}.md").read_text("utf-8").strip()


@cache
def prompt_version() -> str:
    """``1-`` and eight digits, of all texts and schemas."""
    digest = hashlib.sha256()
    for name in ("frame", "correction", *ALL_AGENTS):
        digest.update(f"{name}\0{text_of(name)}\0".encode())
    for agent in ALL_AGENTS:
        digest.update(orjson.dumps(schema_of(agent), option=orjson.OPT_SORT_KEYS))
    return f"{MAJOR}-{digest.hexdigest()[:8]}"


def system_prompt(agent: Agent, boundary: str) -> str:
    """Who the model is, what it is to judge, and that the repository has no say in it."""
    return _filled(
        text_of("frame"),
        boundary=boundary,
        agent=text_of(agent),
        names=", ".join(SUB_SCORES[agent]),
        schema=orjson.dumps(schema_of(agent)).decode(),
    )


def correction(problem: str, boundary: str) -> str:
    """What is said about an answer that was none."""
    return _filled(text_of("correction"), problem=problem, boundary=boundary)


def _filled(template: str, **values: str) -> str:
    for name, value in values.items():
        template = template.replace("{{" + name + "}}", value)
    return template
