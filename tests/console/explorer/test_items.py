"""The page of sample items: heads, cells, pages."""

from __future__ import annotations

import pytest
from tests.console.explorer.flawed import Customer, Order, model, shop

from tablewright.console.explorer.items import Asked, SampleItems
from tablewright.console.explorer.layout import ALONE, HUES, ITEMS, PARTITIONS, hues_of, value_text
from tablewright.console.explorer.stored import Side
from tablewright.model.demo import Demo
from tablewright.service.problems import Problem
from tablewright.values import AttributeValue

ADA = Customer(email="ada@example.com", name="Ada")
BOB = Customer(email="bob@example.com", name="Bob", status="gone")


def items_of(*entities: Customer | Order) -> SampleItems:
    return SampleItems(model, Demo(entities))


def orders(count: int) -> list[Order]:
    return [Order(email="ada@example.com", number=number) for number in range(count)]


# --- one partition after the other ----------------------------------------------------------


def test_names_stand_above_the_first_item_of_an_entity() -> None:
    view = items_of(ADA, *orders(2)).view(Asked())
    partition = view.partitions[0]
    assert partition.name == "CUSTOMER#ada@example.com"
    assert [row.sort for row in partition.rows][-1] == "PROFILE"
    assert [row.head is not None for row in partition.rows] == [True, False, True]
    assert partition.lines == 5
    head = partition.rows[0].head
    assert head is not None
    assert head.kind == "Order"
    assert [column.name for column in head.columns] == ["email", "number", "entity_type"]
    assert partition.rows[0].cells == ("ada@example.com", "0", "Order")
    assert view.columns == max(len(row.cells) for row in partition.rows)


def test_names_are_not_said_again_for_the_next_partition_of_the_same() -> None:
    orders = [Order(email=f"{name}@example.com", number=1) for name in "ab"]
    first, second = items_of(*orders).view(Asked()).partitions
    assert first.rows[0].head is not None
    assert second.rows[0].head is None


def test_sizes_are_those_of_what_is_held() -> None:
    samples = items_of(ADA, BOB)
    table, index = samples.view(Asked()), samples.view(Asked(index="GSI1"))
    assert table.figures.items == 4, "with two locks"
    assert index.figures.items == 2
    assert index.figures.largest_item < table.figures.largest_item
    assert table.figures.size == sum(each.size for each in table.partitions)
    assert index.partitions[0].units == 0.5


def test_what_an_index_holds_is_told_on_both_sides() -> None:
    samples = items_of(ADA)
    head = samples.view(Asked(index="GSI1")).partitions[0].rows[0].head
    assert head is not None
    assert set(head.left_out) == {"email", "name", "price"}
    assert [column.name for column in head.columns] == ["status", "entity_type", "PK", "SK"]
    above = samples.view(Asked()).partitions[0].rows[0].head
    assert above is not None
    held = {column.name for column in above.columns if column.indexes == ("GSI1",)}
    assert held == {"status", "entity_type", "GSI1PK", "GSI1SK"}
    assert above.left_out == ()


def test_a_lock_is_its_owners() -> None:
    view = items_of(ADA, Order(email="zoe@example.com", number=1)).view(Asked(entity="Customer"))
    kinds = {row.kind for each in view.partitions for row in each.rows}
    assert kinds == {"Customer", "lock of customer-name"}
    assert [(each.entity, each.items) for each in view.legend] == [("Customer", 2), ("Order", 1)]


def test_colours_are_the_same_on_all_sides_and_never_run_out() -> None:
    assert hues_of(Side(shop)) == hues_of(Side(shop, shop.indexes["GSI1"]))
    assert all(1 <= hue <= HUES for hue in hues_of(Side(shop)).values())


# --- what is asked for ----------------------------------------------------------------------


def test_partitions_can_be_looked_for() -> None:
    view = items_of(ADA, BOB).view(Asked(find="customer#BOB"))
    assert [each.name for each in view.partitions] == ["CUSTOMER#bob@example.com"]
    assert items_of(ADA).view(Asked(find="nobody")).partitions == ()


def test_a_large_partition_is_cut_and_can_be_read_alone() -> None:
    samples = items_of(*orders(ALONE + ITEMS))
    (cut,) = samples.view(Asked()).partitions
    assert len(cut.rows) == ITEMS
    assert cut.more == ALONE
    assert cut.count == ALONE + ITEMS
    pages = [samples.view(Asked(partition=cut.name, page=page)) for page in (1, 2)]
    assert [view.pages for view in pages] == [2, 2]
    sorts = [row.sort for view in pages for row in view.partitions[0].rows]
    assert sorts == sorted(set(sorts))
    assert len(sorts) == ALONE + ITEMS


def test_many_partitions_are_paged() -> None:
    many = [Order(email=f"{number:03}@example.com", number=1) for number in range(PARTITIONS + 2)]
    samples = items_of(*many)
    first, second = (samples.view(Asked(page=page)) for page in (1, 2))
    assert (len(first.partitions), len(second.partitions)) == (PARTITIONS, 2)
    assert (first.pages, first.found) == (2, PARTITIONS + 2)
    assert second.partitions[0].rows[0].head is not None, "each page names its attributes"


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (Asked(table="Nowhere"), 404),
        (Asked(index="GSI9"), 404),
        (Asked(partition="nobody"), 404),
        (Asked(page=2), 404),
        (Asked(entity="Nobody"), 422),
    ],
)
def test_what_is_not_there_is_a_problem(asked: Asked, status: int) -> None:
    with pytest.raises(Problem) as caught:
        items_of(ADA).view(asked)
    assert caught.value.status == status


def test_a_model_without_a_demo_has_no_items() -> None:
    view = SampleItems(model).view(Asked())
    assert view.partitions == ()
    assert view.figures.largest_partition == 0
    assert view.columns == 1


def test_an_address_says_no_more_than_it_must() -> None:
    asked = Asked(table="Shop", find="a b", page=3)
    assert asked.path() == "?table=Shop&find=a+b"
    assert asked.path(page=4) == "?table=Shop&find=a+b&page=4"
    assert asked.path(find="", partition="X#1 / Y") == "?table=Shop&partition=X%231+%2F+Y"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"S": "a"}, "a"),
        ({"S": ""}, '""'),
        ({"N": "1.50"}, "1.50"),
        ({"BOOL": True}, "true"),
        ({"NULL": True}, "null"),
        ({"SS": ["b", "a"]}, '["a", "b"]'),
        ({"M": {"é": {"N": "1"}}}, '{"é": 1}'),
        ({"S": "x" * 100}, "x" * 63 + "…"),
    ],
)
def test_values_on_one_line(value: AttributeValue, text: str) -> None:
    assert value_text(value) == text
