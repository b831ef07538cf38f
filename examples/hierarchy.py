"""A hierarchy in one sort key: stores by country, region, city and post code.

The index has the country as its partition, and the levels below it in its sort key, from coarse to
fine. A query may stop at any level, and may take a range on the next one.
"""

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import (
    Entity,
    Index,
    Key,
    Range,
    Table,
    Update,
    attr,
    count,
    get,
    put,
    query,
    update,
    write,
)

stores = Table("Stores", pk="store_id", indexes=[Index("ByPlace", pk="country", sk="place")])


class Store(
    Entity,
    table=stores,
    keys={
        "primary": Key("{store_id}"),
        "by_place": Key("{country}", "{region}#{city}#{post_code}", on="ByPlace"),
    },
):
    store_id: str
    country: str
    region: str
    city: str
    post_code: str


@get(Store)
def store(store_id: str) -> None:
    """One store."""


@query(Store, key="by_place")
def stores_in_country(country: str) -> None:
    """All stores of a country, region by region."""


@query(Store, key="by_place")
def stores_in_region(country: str, region: str) -> None:
    """All stores of a region, city by city."""


@query(Store, key="by_place")
def stores_in_city(country: str, region: str, city: str) -> None:
    """All stores of a city, by post code."""


@query(Store, key="by_place", range=Range("post_code", begins_with="district"))
def stores_in_district(country: str, region: str, city: str, district: str) -> None:
    """The stores of a city whose post codes begin alike."""


@count(Store, key="by_place")
def number_of_stores(country: str, region: str) -> None:
    """How many stores a region has."""


@write()
def move_within_city(store: Store, post_code: str) -> Update[Store]:
    """Move a store; its place in the index moves with it."""
    return update(store).do(attr(Store.post_code).set(post_code))


def main() -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(stores)
        for store_id, region, city, post_code in (
            ("harbour", "Hamburg", "Hamburg", "20457"),
            ("market", "Bavaria", "Munich", "80331"),
            ("station", "Bavaria", "Munich", "80335"),
            ("castle", "Bavaria", "Nuremberg", "90403"),
        ):
            new = Store(
                store_id=store_id, country="DE", region=region, city=city, post_code=post_code
            )
            db.run(put(new))

        print("Germany:", *(each.store_id for each in db.run(stores_in_country("DE"))))
        print("Bavaria:", *(each.store_id for each in db.run(stores_in_region("DE", "Bavaria"))))
        in_munich = db.run(stores_in_city("DE", "Bavaria", "Munich"))
        print("Munich:", *(each.store_id for each in in_munich))
        moved = db.run(move_within_city(in_munich[0], "81541"))
        near = db.run(stores_in_district("DE", "Bavaria", "Munich", "803"))
        print(f"{moved.store_id} has moved, left near 803:", *(each.store_id for each in near))


if __name__ == "__main__":
    main()
