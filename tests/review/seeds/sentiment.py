"""Interactive dashboard demo: the tone of news items, in one table with three indexes."""

from __future__ import annotations

from tests.review.seeds.parts import texts

from tablewright.review.design import (
    Alarm,
    Attribute,
    Between,
    Design,
    Entity,
    Figure,
    Index,
    Key,
    Pattern,
    Permission,
    Retention,
    Table,
)


def design() -> Design:
    return Design.of(
        "sentiment",
        TABLE,
        ITEM,
        TAG_COPY,
        *WRITES,
        *READS,
        *FIGURES,
        *PERMISSIONS,
        *ALARMS,
    )


TABLE = Table(
    "sentiment-items",
    pk="source_id",
    sk="timestamp",
    indexes=(
        Index("by_sentiment", pk="sentiment", sk="timestamp", projection="ALL"),
        Index("by_tag", pk="tag", sk="timestamp", projection="ALL"),
        Index("by_status", pk="status", sk="timestamp", projection="KEYS_ONLY"),
    ),
    ttl="ttl_timestamp",
    pitr=35,
)

# --- entities ------------------------------------------------------------------------------------

#: Times as the document writes them: in the text, in the puts, and by isoformat() + "Z".
_TIMES = (
    "2025-11-17T14:30:00.000Z",
    "2025-11-17T14:30:00Z",
    "2025-11-16T00:00:00Z",
    "2025-11-17T14:25:00.123456Z",
)
_ANALYZED = {"status": "analyzed"}

_SOURCE_ID = Attribute(
    "source_id",
    max_length=256,
    pattern=r"^[a-z]+#[a-zA-Z0-9]+$",
    examples=("newsapi#abc123def456", "twitter#tweet-456789", "newsapi#abc123"),
)
_TIMESTAMP = Attribute(
    "timestamp",
    format="iso",
    pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$",
    examples=_TIMES,
)
_SENTIMENTS = ("positive", "neutral", "negative")

_NEWSAPI = {
    "title": "Article headline",
    "author": "Author name or 'Unknown'",
    "published_at": "2025-11-17T10:00:00Z",
    "source_name": "BBC News",
}
_TWITTER = {
    "username": "@example",
    "retweet_count": 42,
    "like_count": 128,
    "created_at": "2025-11-17T10:00:00Z",
}

ITEM = Entity(
    "SentimentItem",
    "sentiment-items",
    keys=(
        Key("{source_id}", "{timestamp}"),
        Key("{sentiment}", "{timestamp}", on="by_sentiment"),
        Key("{status}", "{timestamp}", on="by_status"),
    ),
    attributes=(
        _SOURCE_ID,
        _TIMESTAMP,
        Attribute("source_type", values=("newsapi", "twitter", "reddit")),
        Attribute("source_url", required=False, format="https"),
        Attribute("text_snippet", required=False, max_length=200),
        Attribute("sentiment", required=False, values=_SENTIMENTS, required_when=_ANALYZED),
        # "Float 0.0-1.0 (DynamoDB Number type)"; the puts pass 0.87, the update Decimal('0.87').
        Attribute("score", "N", required=False, python="float", required_when=_ANALYZED),
        Attribute("model_version", pattern=r"^v\d+\.\d+\.\d+$", examples=("v1.0.0",)),
        # A StringSet in the table of attributes, List[str] in the schema.
        Attribute("matched_tags", "SS", max_items=5, item_bytes=50, types_elsewhere=("L",)),
        Attribute("metadata", "M", required=False, examples=(_NEWSAPI, _TWITTER)),
        Attribute("status", values=("pending", "analyzed"), mutable=True),
        Attribute("ttl_timestamp", "N", format="epoch_seconds"),
    ),
    # "Purpose: Unique identifier for deduplication."
    identity=("source_id",),
    ttl="ttl_timestamp",
    # "30 days from ingestion."
    retention=Retention(days=30, after="timestamp", computed_from="timestamp"),
    item_size=1024,
)

#: "Write multiple items to the GSI (one per tag)": the same item, with one more attribute.
TAG_COPY = Entity(
    "TagCopy",
    "sentiment-items",
    keys=(Key("{source_id}", "{timestamp}"), Key("{tag}", "{timestamp}", on="by_tag")),
    attributes=(
        _SOURCE_ID,
        _TIMESTAMP,
        *texts("tag", max_length=50, examples=("AI", "technology")),
        Attribute(
            "sentiment", required=False, values=_SENTIMENTS, copy_of="SentimentItem.sentiment"
        ),
        Attribute("score", "N", required=False, python="float", copy_of="SentimentItem.score"),
        Attribute("status", values=("pending", "analyzed"), copy_of="SentimentItem.status"),
        Attribute("ttl_timestamp", "N", format="epoch_seconds"),
    ),
    ttl="ttl_timestamp",
    # "... other attributes."
    open=True,
    item_size=1024,
)

# --- patterns ------------------------------------------------------------------------------------

_KEY = {"source_id": "{source_id}", "timestamp": "{timestamp}"}

WRITES = (
    Pattern(
        "ingest",
        "put",
        "SentimentItem",
        key=_KEY,
        condition="attribute_not_exists(source_id)",
        unique=("source_id",),
        new=True,
        rate=100 / 3600,
        # "Burst write: 1000 items in 10 seconds."
        peak=100,
        stated_units=1,
        component="ingestion",
    ),
    Pattern(
        "fan_out_tags",
        "put",
        "TagCopy",
        key=_KEY,
        condition="attribute_not_exists(source_id)",
        many=2,
        varies=("tag",),
        new=True,
        component="ingestion",
    ),
    Pattern(
        "update_sentiment",
        "update",
        "SentimentItem",
        key=_KEY,
        update="SET #status = :analyzed, sentiment = :sentiment, score = :score",
        # "Prevent overwrite."
        condition="attribute_not_exists(sentiment)",
        names={"#status": "status"},
        values={
            ":analyzed": {"S": "analyzed"},
            ":sentiment": {"S": "positive"},
            ":score": {"N": "0.87"},
        },
        existing=True,
        rate=100 / 3600,
        stated_units=1,
        component="analysis",
    ),
)

READS = (
    Pattern(
        "by_sentiment",
        "query",
        "SentimentItem",
        index="by_sentiment",
        key={"sentiment": "{sentiment}"},
        descending=True,
        limit=20,
        expect=20,
        rate=2,
        stated_units=0.5,
        reads="*",
        drops_expired=False,
        component="dashboard",
    ),
    Pattern(
        "by_sentiment_since",
        "query",
        "SentimentItem",
        index="by_sentiment",
        key={"sentiment": "{sentiment}", "timestamp": Between("2025-11-16T00:00:00Z", None)},
        descending=True,
        limit=20,
        expect=20,
        reads="*",
        drops_expired=False,
        component="dashboard",
    ),
    Pattern(
        "by_tag",
        "query",
        "TagCopy",
        index="by_tag",
        key={"tag": "{tag}"},
        descending=True,
        limit=20,
        expect=20,
        stated_units=0.5,
        reads="*",
        drops_expired=False,
        component="dashboard",
    ),
    # stuck_count = len(response['Items'])
    Pattern(
        "count_stuck",
        "count",
        "SentimentItem",
        index="by_status",
        key={"status": "pending", "timestamp": Between(None, "{five_minutes_ago}")},
        projection="source_id, timestamp",
        limit=100,
        paged=False,
        expect=100,
        stated_units=0.25,
        drops_expired=False,
        component="metrics",
    ),
    # "Operational dashboard showing ingestion lag", "Monitor pending items".
    Pattern(
        "pending_items",
        "query",
        "SentimentItem",
        index="by_status",
        key={"status": "pending"},
        reads="*",
        drops_expired=False,
        component="dashboard",
    ),
    # "Sort key ... enables 'recent items' queries": which, is not said.
    Pattern(
        "recent_items",
        "query",
        "SentimentItem",
        order="timestamp",
        descending=True,
        wish=True,
        component="dashboard",
    ),
    # "Find most common tags": stats count() by matched_tags, over everything.
    Pattern("most_common_tags", "count", "SentimentItem", wish=True, component="dashboard"),
    # "Integration tests: Write → Read consistency, GSI query accuracy."
    Pattern(
        "read_after_write",
        "query",
        "SentimentItem",
        index="by_sentiment",
        key={"sentiment": "{sentiment}"},
        fresh=True,
        drops_expired=False,
        component="tests",
    ),
)

# --- what else it says ---------------------------------------------------------------------------

FIGURES = (
    # "Granularity: 5-minute intervals."
    Figure("pitr.granularity_seconds", 300),
    Figure("pitr.days", 35),
    Figure("writes a month, demo", 72_000, formula="100 * 24 * 30"),
    Figure("queries a month, demo", 5.2e6, formula="2 * 60 * 60 * 24 * 30"),
    # "Each query returns 20 items (4KB avg) = 20KB per query."
    Figure("KB of one query", 20, formula="20 * 4"),
    Figure("cost of writes, demo", 0.72, units=144_000, kind="write"),
    Figure("cost of reads, demo", 0.25, units=13e6, kind="read"),
    Figure("cost a month, demo", 1.05, formula="0.72 + 0.25 + 0.02 + 0.06"),
    Figure("cost of writes, production", 9.00, units=7.2e6, kind="write"),
    Figure("cost of reads, production", 3.25, units=26e6, kind="read"),
    Figure("cost a month, production", 19.25, formula="9.00 + 3.25 + 1.75 + 5.25"),
)

PERMISSIONS = (
    Permission("ingestion", ("PutItem",)),
    Permission("analysis", ("UpdateItem", "GetItem")),
    Permission("dashboard", ("Query", "GetItem")),
    Permission("metrics", ("Query",), ("table/sentiment-items/index/by_status",)),
)

ALARMS = (
    Alarm("user errors", {"MetricName": "UserErrors", "Threshold": 10, "Period": 300}),
    Alarm("system errors", {"MetricName": "SystemErrors", "Threshold": 5, "Period": 300}),
    Alarm(
        "write units",
        {"MetricName": "ConsumedWriteCapacityUnits", "Threshold": 1000, "Period": 60},
    ),
    Alarm("stuck items", {"MetricName": "StuckItems", "Threshold": 10}),
)
