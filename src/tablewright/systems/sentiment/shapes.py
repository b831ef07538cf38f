"""The texts that keys are made of, and the times that counts are kept by.

The table has no attribute that tells its entities apart: their keys do. So every text in a key has
a shape of its own, and articles keep to the prefixes of their sources; all others are reserved.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Annotated, Literal, TypeAlias
from zlib import crc32

from tablewright.model import Field, Shaped

#: Vowels and other marks belong to words, though regular expressions do not think so: after Latin
#: letters, in Hebrew, Arabic, the scripts of India, Thai, Lao, Tibetan, Burmese and Khmer.
TAG_CHARACTERS = (
    r"[\w\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u109f\u1780-\u17dd-]"
)
_TAG = rf"[^\W_A-Z]{TAG_CHARACTERS}{{0,49}}"
_SLUG = r"[a-z0-9][a-z0-9-]{0,39}"
_MINUTE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}Z"
_HOUR = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}Z"
#: Shards of every count. The number in the settings may be higher, never lower.
SHARDS = 16
#: As many as two digits in a key can tell apart.
MAX_SHARDS = 99

SourceType: TypeAlias = Literal["newsapi", "rss", "file", "twitter", "reddit"]
Sentiment: TypeAlias = Literal["positive", "neutral", "negative"]
#: An unjudged article is in a language that the model in use does not cover.
Status: TypeAlias = Literal["pending", "analyzed", "failed", "unjudged"]
#: ISO 639-1.
Language: TypeAlias = Annotated[str, Field(pattern=r"^[a-z]{2}$")]

#: ``newsapi#0123456789abcdef``: the source's type, and the start of the article's hash.
SourceId: TypeAlias = Annotated[
    str, Shaped(r"(?:newsapi|rss|file|twitter|reddit)#[A-Za-z0-9_-]{1,128}")
]
#: A tag as keys have it: case does not count.
Tag: TypeAlias = Annotated[str, Shaped(_TAG)]
#: A tag as somebody wrote it.
ShownTag: TypeAlias = Annotated[str, Shaped(rf"[^\W_]{TAG_CHARACTERS}{{0,49}}")]
#: A publisher.
SourceKey: TypeAlias = Annotated[str, Shaped(_SLUG)]
#: A configured source.
SourceName: TypeAlias = Annotated[str, Shaped(_SLUG)]
VersionName: TypeAlias = Annotated[str, Shaped(r"v[0-9]+\.[0-9]+\.[0-9]+(?:\+[a-z0-9.-]{1,40})?")]
RuleId: TypeAlias = Annotated[str, Shaped(r"[A-Za-z0-9_-]{1,40}")]
Sha256: TypeAlias = Annotated[str, Shaped(r"[0-9a-f]{64}")]
#: What is counted: ``all``, ``tag#{tag}`` or ``source#{source_key}``.
Subject: TypeAlias = Annotated[str, Shaped(f"all|tag#{_TAG}|source#{_SLUG}")]
#: When: ``m#2026-11-20T12:07Z`` is a minute, ``h#2026-11-20T12Z`` an hour.
Bucket: TypeAlias = Annotated[str, Shaped(f"m#{_MINUTE}|h#{_HOUR}")]

#: Four places, as many as a model's figures are worth.
Score: TypeAlias = Annotated[Decimal, Field(ge=0, le=1, decimal_places=4)]
Polarity: TypeAlias = Annotated[Decimal, Field(ge=-1, le=1, decimal_places=4)]

ARTICLE_LIFE = timedelta(days=30)
#: A hash outlives its article, so that a late feed does not bring it back.
DEDUP_LIFE = timedelta(days=37)
MINUTE_LIFE = timedelta(days=3)
HOUR_LIFE = timedelta(days=400)


def minute_of(moment: datetime) -> str:
    return f"m#{moment.isoformat()[:16]}Z"


def hour_of(moment: datetime) -> str:
    return f"h#{moment.isoformat()[:13]}Z"


def shard_of_article(source_id: str, shards: int = SHARDS) -> int:
    """The shard that an article is counted in: the same in every process and every release."""
    return crc32(source_id.encode()) % shards
