"""Write sharding for a counter: page views that no single item could count.

DynamoDB writes about a thousand times a second to one item. The counter is spread over eight items
in eight partitions; a view goes to the one its visitor hashes to, and a read adds them up.
"""

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import Counter, Key, Rate, Shard, Table, Update, increment, total, write

site = Table("Site", pk="PK", sk="SK")


class PageViews(
    Counter,
    table=site,
    keys={"primary": Key("VIEWS#{page}#{shard:02d}", "VIEWS")},
    shards=8,
):
    page: str
    shard: Shard = 0
    views: int = 0
    seconds: int = 0


@write(rate=Rate(4000, peak=7000))
def viewed(page: str, visitor: str, seconds: int) -> Update[PageViews]:
    """Somebody has looked at a page for some time."""
    return increment(PageViews, lane=visitor, page=page, views=1, seconds=seconds)


@total(PageViews)
def page_views(page: str) -> None:
    """How often a page was looked at, and for how long altogether."""


def main() -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(site)
        for number in range(100):
            db.run(viewed("home", f"visitor-{number}", seconds=30))

        home = db.run(page_views("home"))
        print(f"home: {home.views} views, {home.seconds // 60} minutes")
        print("items:", engine.call("Scan", {"TableName": "Site", "Select": "COUNT"})["Count"])
        print(f"nobody saw the imprint: {db.run(page_views('imprint')).views} views")


if __name__ == "__main__":
    main()
