"""What the demo follows and reads, and what its people have said."""

from __future__ import annotations

from typing import Any, Final

from tablewright.service.auth import Principal
from tablewright.systems.sentiment.bodies.sources import SourceIn
from tablewright.systems.sentiment.bodies.watch import TopicIn
from tablewright.systems.sentiment.rules.records import Record
from tablewright.systems.sentiment.shapes import Sentiment

ADMIN = Principal("demo-admin", "Demo admin", "user", frozenset({"admin"}))
ANALYST = Principal("demo-analyst", "Demo analyst", "user", frozenset({"analyst"}))

TOPICS: Final = (
    TopicIn(
        tag="AI",
        any=[
            "AI",
            "artificial intelligence",
            "machine learning",
            "chatbot",
            "chatbots",
            "language model",
            "language models",
            "neural network",
            "neural networks",
            "algorithm",
            "algorithms",
            "robot",
            "robots",
            "deepfake",
            "deepfakes",
        ],
        priority=10,
    ),
    TopicIn(
        tag="Climate",
        any=[
            "climate",
            "heatwave",
            "drought",
            "emissions",
            "flood",
            "floods",
            "wildfire",
            "wildfires",
            "glacier",
            "glaciers",
            "carbon",
            "sea level",
            "reef",
            "rainfall",
            "storm",
            "storms",
            "warming",
            "coastline",
        ],
        none=["political climate", "business climate"],
        priority=20,
    ),
    TopicIn(
        tag="Energy",
        any=[
            "energy",
            "grid",
            "solar",
            "wind farm",
            "wind farms",
            "battery",
            "batteries",
            "reactor",
            "hydrogen",
            "electricity",
            "blackout",
            "blackouts",
            "turbine",
            "turbines",
            "geothermal",
            "pipeline",
            "heat pumps",
            "fuel",
        ],
        none=["solar eclipse", "solar storm"],
        priority=30,
    ),
    TopicIn(
        tag="Space",
        any=[
            "rocket",
            "satellite",
            "satellites",
            "orbit",
            "orbital",
            "lunar",
            "moon",
            "Mars",
            "spacecraft",
            "telescope",
            "astronaut",
            "astronauts",
            "asteroid",
            "comet",
            "space",
            "lander",
            "launch pad",
        ],
        none=["full moon", "new moon"],
        priority=40,
    ),
    TopicIn(
        tag="Markets",
        any=[
            "shares",
            "stocks",
            "bond",
            "bonds",
            "investors",
            "inflation",
            "interest rate",
            "interest rates",
            "central bank",
            "earnings",
            "profit",
            "profits",
            "currency",
            "stock exchange",
            "lender",
            "lenders",
            "dividend",
            "merger",
            "takeover",
            "commodity",
        ],
        priority=50,
    ),
)

#: The file that the demo goes on with; while it is not paused, a headline comes in now and then.
WIRE: Final = "wire"

SOURCES: Final = (
    SourceIn(
        name="saltmarsh-gazette",
        source_type="rss",
        url="file:saltmarsh-gazette.xml",
        interval_seconds=600,
    ),
    SourceIn(name=WIRE, source_type="file", url="file:wire.jsonl", interval_seconds=3600),
    SourceIn(name="newsapi", source_type="newsapi", enabled=False),
)

#: Rules of alerts, as their author writes them.
RULES: Final[tuple[dict[str, Any], ...]] = (
    {
        "name": "Much about Space",
        "watch_tag": "space",
        "metric": "volume",
        "direction": "up",
        "window": "6h",
    },
    {
        "name": "Much about AI",
        "watch_tag": "ai",
        "metric": "volume",
        "direction": "up",
        "window": "6h",
    },
    {
        "name": "The mood about Climate changes",
        "watch_tag": "climate",
        "metric": "index",
        "direction": "both",
        "window": "6h",
        "delivery": "daily",
    },
    {
        "name": "Bad news about everything",
        "metric": "negative_share",
        "direction": "up",
        "window": "1h",
        "delivery": "hourly",
    },
)

#: Why an analyst disagrees with the model, by what it should have said.
REASONS: Final[dict[Sentiment, str]] = {
    "positive": "Good news that is told with grim words.",
    "neutral": "A plain report: nobody is praised or blamed.",
    "negative": "The words are friendly, the news is not.",
}

#: Articles that no model could judge: somebody may queue them again.
POISON: Final = (
    Record(
        title="Turbine hall to become a concert hall",
        text="The plans of the energy company are on show until Sunday.",
        url="https://grid-and-current.example/turbine-hall-to-become-a-concert-hall",
        source="Grid and Current",
    ),
    Record(
        title="Comet Pel seen with the naked eye",
        text="It stands low in the west after sunset.",
        url="https://orbit-weekly.example/comet-pel-seen-with-the-naked-eye",
        source="Orbit Weekly",
        author="Juno Ashkarr",
    ),
)
ERROR: Final = "model_timeout"
