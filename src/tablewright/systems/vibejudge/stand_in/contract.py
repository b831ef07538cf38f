"""What was asked of the stand-in, and what it does next."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Literal, TypeAlias

import orjson

from tablewright.systems.vibejudge.stand_in.minds import Mind, review

#: ``json``: no JSON. ``schema``: JSON, but a score lacks. ``truncated``: cut, and it says so.
#: ``silent``: nothing. ``fenced``: fine, but in a code fence with a sentence before it.
Spoilt: TypeAlias = Literal["json", "schema", "truncated", "silent", "fenced"]
#: ``drop`` closes the connection without an answer.
Fault: TypeAlias = Literal["throttled", "server_error", "unavailable", "refused", "drop"]
#: Of a model with this word in its id, nobody has heard.
UNHEARD = "unheard-of"


@dataclass(frozen=True)
class Manner:
    """How one question is answered."""

    mind: Mind = "sensible"
    spoilt: Spoilt | None = None
    fault: Fault | None = None
    #: Seconds before the answer.
    slow: float = 0.0
    retry_after: str | None = None
    #: Half of the prompt was in a cache, and some was written to it.
    cached: bool = False
    #: Some servers do not tell.
    usage: bool = True
    #: OpenAI's contract in older and newer kinds: no schema; only ``max_completion_tokens``.
    knows_schema: bool = True
    new_limit: bool = False


@dataclass(frozen=True)
class Asked:
    """A question, whichever contract it came by."""

    model_id: str
    system: str
    #: Pairs of a role and what it said.
    messages: tuple[tuple[str, str], ...]
    max_tokens: int
    tier: str = "default"

    def size(self) -> int:
        said = sum(len(text.encode()) for _, text in self.messages)
        return said + len(self.system.encode())


@dataclass(frozen=True)
class Tokens:
    input: int
    output: int
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True)
class Answered:
    """What the model said, before it is put into a document."""

    text: str
    truncated: bool
    tokens: Tokens


class StandIn:
    """What it does next and what it was asked. It may be used by many threads."""

    def __init__(self, always: Manner | None = None, *, key: str = "stand-in") -> None:
        #: For the next questions, one after the other; ``always`` for all after these.
        self.next: list[Manner] = []
        self.always = always or Manner()
        #: What OpenAI's contract is asked with; Bedrock's takes any signature.
        self.key = key
        self.asked: list[Asked] = []
        self._lock = threading.Lock()

    def manner(self) -> Manner:
        with self._lock:
            return self.next.pop(0) if self.next else self.always

    def answered(self, asked: Asked, manner: Manner) -> Answered:
        with self._lock:
            self.asked.append(asked)
        data = next((text for role, text in asked.messages if role == "user"), "")
        text = orjson.dumps(review(manner.mind, asked.system, data)).decode()
        text = _spoilt(text, manner.spoilt)
        cut = manner.spoilt == "truncated"
        output = asked.max_tokens if cut else min(asked.max_tokens, len(text) // 4 + 1)
        return Answered(text, cut, _tokens(asked.size() // 4 + 1, output, manner.cached))


def _spoilt(text: str, how: Spoilt | None) -> str:
    if how == "json":
        return "I would rather not say { in JSON."
    if how == "schema":
        document = orjson.loads(text)
        document["scores"].popitem()
        return orjson.dumps(document).decode()
    if how == "truncated":
        return text[: len(text) // 2]
    if how == "fenced":
        return f"Here is my review:\n```json\n{text}\n```\nI hope it helps."
    return "" if how == "silent" else text


def _tokens(asked: int, output: int, cached: bool) -> Tokens:
    if not cached:
        return Tokens(asked, output)
    read, written = asked // 2, asked // 10
    return Tokens(asked - read - written, output, read, written)
