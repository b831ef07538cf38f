"""Topics to follow, and what a rule would find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from tablewright.systems.sentiment.bodies.moments import Moment
from tablewright.systems.sentiment.rules.ids import shown_id
from tablewright.systems.sentiment.rules.matching import is_term
from tablewright.systems.sentiment.rules.tags import clean_tag
from tablewright.systems.sentiment.shapes import Sentiment

if TYPE_CHECKING:
    from tablewright.systems.sentiment.config import Watch
    from tablewright.systems.sentiment.service.watches import Hit

_RULE: Final[dict[str, Any]] = {
    "any": ["artificial intelligence", "AI"],
    "none": ["AI Weiwei"],
    "priority": 10,
}


def _findable(term: str) -> str:
    if not is_term(term):
        raise ValueError("has neither a letter nor a sign to look for")
    return term


#: Words, as they are looked for: whole, in any case.
TermText: TypeAlias = Annotated[
    str,
    Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$"),
    AfterValidator(_findable),
]
TagText: TypeAlias = Annotated[
    str, BeforeValidator(clean_tag), Field(min_length=1, max_length=50, examples=["AI"])
]


class RuleIn(BaseModel):
    """Which words make an article belong to a topic."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, json_schema_extra={"examples": [_RULE]}
    )

    any: list[TermText] = Field(
        min_length=1, max_length=20, description="Words or phrases, of which one is enough."
    )
    all: list[TermText] = Field(
        default_factory=list, max_length=5, description="All of these have to be there, too."
    )
    none: list[TermText] = Field(
        default_factory=list, max_length=20, description="None of these may be there."
    )
    priority: int = Field(
        default=100,
        ge=0,
        le=1000,
        description="Of an article with more than five topics, those with low numbers stay.",
    )
    enabled: bool = True


class TopicIn(RuleIn):
    """A topic to follow."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"tag": "AI", **_RULE}]})

    tag: TagText = Field(
        description="Its name: letters and digits of any script, - and _. Spaces become hyphens; "
        "case is shown, and does not count."
    )


class TopicEdit(RuleIn):
    """A topic as it should be."""

    tag: TagText | None = Field(
        default=None, description="How its name is written; only its case can change."
    )


class TopicOut(BaseModel):
    """A topic."""

    model_config = ConfigDict(frozen=True)

    tag: str
    any: list[str]
    all: list[str]
    none: list[str]
    priority: int
    enabled: bool
    version: int
    hits_24h: int | None = Field(
        default=None, description="Articles of the last 24 hours that were judged."
    )


class TopicsOut(BaseModel):
    """All topics, by tag; there are twenty at most."""

    model_config = ConfigDict(frozen=True)

    items: list[TopicOut]


class HitOut(BaseModel):
    """An article that a rule would find."""

    model_config = ConfigDict(frozen=True)

    article_id: str
    timestamp: Moment
    title: str
    source_name: str
    sentiment: Sentiment | None
    terms: list[str] = Field(description="The words that it was found by.")


class TrialOut(BaseModel):
    """What a rule would have found among the latest articles."""

    model_config = ConfigDict(frozen=True)

    looked_at: int = Field(ge=0, description="Articles; 500 at most.")
    found: int = Field(ge=0)
    hits: list[HitOut] = Field(description="The latest hundred.")


def topic_out(topic: Watch, hits: int | None = None) -> TopicOut:
    return TopicOut(
        tag=topic.label,
        any=topic.any,
        all=topic.all,
        none=topic.none,
        priority=topic.priority,
        enabled=topic.enabled,
        version=topic.version,
        hits_24h=hits,
    )


def hit_out(hit: Hit) -> HitOut:
    article = hit.article
    return HitOut(
        article_id=shown_id(article.source_id),
        timestamp=article.timestamp,
        title=article.metadata.title,
        source_name=article.metadata.source_name,
        sentiment=article.sentiment,
        terms=list(hit.terms),
    )
