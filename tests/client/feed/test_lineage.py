"""Shards that split, end, expire and vanish, on a stream that does as it is told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.client.feed.stand_in import FakeStream, Reader
from tests.sampling import many

from tablewright.client.feed import ChangesLost, Gap, MemoryCheckpoints, Polling
from tablewright.client.feed.reading import RETENTION
from tablewright.model.errors import ServiceError

SMALL = Polling(page=2, least=0, most=0, relist=0)


@pytest.fixture
def stream() -> FakeStream:
    return FakeStream()


# --- parents and children --------------------------------------------------------------------


def test_a_child_is_read_after_its_parent(stream: FakeStream) -> None:
    stream.shard("parent")
    for number in range(5):
        stream.change("parent", number)
    stream.shard("child", "parent")
    stream.change("child", 5)
    reader = Reader(stream, polling=SMALL)
    assert reader.drain() == ["0000", "0001", "0002", "0003", "0004", "0005"]


def test_children_listed_before_their_parent(stream: FakeStream) -> None:
    stream.shard("child", "parent")
    stream.change("child", 2)
    stream.shard("parent").closed = True
    stream.change("parent", 1)
    assert Reader(stream, polling=SMALL).drain() == ["0001", "0002"]


def test_a_split_while_reading(stream: FakeStream) -> None:
    reader = Reader(stream)
    stream.shard("a")
    stream.change("a", 1)
    assert reader.drain() == ["0001"]
    stream.change("a", 2)
    for name in ("b", "c"):
        stream.shard(name, "a")
    stream.change("b", 3)
    stream.change("c", 4, "bob")
    found = reader.drain()
    assert found[0] == "0002"
    assert sorted(found[1:]) == ["0003", "0004"]


def test_a_child_that_appears_late(stream: FakeStream) -> None:
    slow = Polling(least=1, most=4, relist=60)
    reader = Reader(stream, polling=slow)
    stream.shard("a")
    assert reader.drain() == []
    stream.shards["a"].closed = True
    reader.drain()
    asked = stream.count()["DescribeStream"]
    stream.shard("b", "a")
    stream.change("b", 1)
    before = reader.now
    assert reader.drain()[:1] == ["0001"]
    # It was looked for again soon, but less and less often.
    assert stream.count()["DescribeStream"] - asked <= 6
    assert reader.now - before < 120


def test_a_parent_that_is_long_gone(stream: FakeStream) -> None:
    stream.shard("b", "a-which-is-not-listed")
    stream.change("b", 1)
    assert Reader(stream).drain() == ["0001"]


def test_many_shards_on_several_pages(stream: FakeStream) -> None:
    for number in range(7):
        stream.shard(f"s{number}")
        stream.change(f"s{number}", number)
    assert sorted(Reader(stream).drain()) == [f"{number:04d}" for number in range(7)]


def test_a_parent_that_is_not_committed_comes_before_its_child_again(stream: FakeStream) -> None:
    kept = MemoryCheckpoints()
    stream.shard("a")
    stream.change("a", 1)
    stream.shard("b", "a")
    stream.change("b", 2)
    assert Reader(stream, kept).drain(commit=False) == ["0001", "0002"]
    reader = Reader(stream, kept)
    assert reader.drain(commit=False) == ["0001", "0002"]
    reader.following.rewind()
    assert reader.drain() == ["0001", "0002"]
    assert Reader(stream, kept).drain() == []


def test_an_empty_shard_between_two_others(stream: FakeStream) -> None:
    stream.shard("a")
    stream.change("a", 1)
    stream.shard("b", "a")
    stream.shard("c", "b")
    stream.change("c", 2)
    reader = Reader(stream, MemoryCheckpoints())
    assert reader.poll() == ["0001"]
    assert reader.poll() == []  # that was b
    reader.following.rewind()
    assert reader.drain() == ["0001", "0002"]


def test_shards_that_are_over_are_forgotten(stream: FakeStream) -> None:
    kept = MemoryCheckpoints()
    stream.shard("a")
    stream.change("a", 1)
    reader = Reader(stream, kept)
    reader.drain()
    stream.shard("b", "a")
    reader.drain()
    # The end of a shard is saved with the next refresh; then the service forgets it.
    reader.now += 901
    reader.drain()
    stream.shards["a"].listed = False
    reader.drain()
    assert [shard for _, shard in kept._positions] == ["b"]


def test_latest_with_closed_shards(stream: FakeStream) -> None:
    stream.shard("a")
    stream.change("a", 1)
    stream.shard("b", "a")
    stream.change("b", 2)
    kept = MemoryCheckpoints()
    reader = Reader(stream, kept, start="latest")
    assert reader.drain() == []
    stream.change("b", 3)
    stream.shard("c", "b")
    stream.change("c", 4)
    assert reader.drain() == ["0003", "0004"]


def test_a_full_page_is_followed_at_once(stream: FakeStream) -> None:
    stream.shard("a")
    for number in range(4):
        stream.change("a", number)
    reader = Reader(stream, polling=Polling(page=2, least=10, most=40, relist=100))
    assert reader.poll() == ["0000", "0001"]
    assert reader.following.idle() == 0
    assert reader.poll() == ["0002", "0003"]
    assert reader.poll() == []  # that page was full too
    waits = []
    for _ in range(4):
        waits.append(reader.following.idle())
        reader.now += waits[-1]
        assert reader.poll() == []
    assert waits == [20, 40, 40, 40] or waits == [10, 20, 40, 40]


def test_a_busy_shard_does_not_starve_another(stream: FakeStream) -> None:
    for name, customer in (("a", "ada"), ("b", "bob")):
        stream.shard(name)
        for number in range(6):
            stream.change(name, number, customer)
    reader = Reader(stream, polling=SMALL)
    pages = []
    for _ in range(6):
        pages += reader.poll()[:1]
        reader.now += 1
    assert pages == ["0000", "0000", "0002", "0002", "0004", "0004"]


# --- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize("committed", [False, True])
def test_an_expired_iterator(stream: FakeStream, committed: bool) -> None:
    stream.shard("a")
    reader = Reader(stream)
    if committed:
        stream.change("a", 1)
        assert reader.drain() == ["0001"]
    else:
        assert reader.drain() == []
    stream.change("a", 2)
    stream.failures["GetRecords"] = ["ExpiredIteratorException"]
    assert reader.drain() == ["0002"]
    kind = [body for operation, body in stream.requests if operation == "GetShardIterator"][-1]
    expected = "AFTER_SEQUENCE_NUMBER" if committed else "TRIM_HORIZON"
    assert kind["ShardIteratorType"] == expected


def test_too_many_reads(stream: FakeStream) -> None:
    for name in ("a", "b"):
        stream.shard(name)
    stream.change("a", 1)
    stream.change("b", 2)
    stream.failures["GetRecords"] = ["LimitExceededException"]
    reader = Reader(stream, polling=Polling(least=1, most=7, relist=100))
    # The other shard is read meanwhile; the one that was refused waits.
    assert reader.poll() == ["0002"]
    assert reader.poll() == []
    reader.now += 7
    assert reader.poll() == ["0001"]


def test_too_many_looks(stream: FakeStream) -> None:
    stream.shard("a")
    stream.change("a", 1)
    stream.failures["DescribeStream"] = ["LimitExceededException"]
    stream.failures["GetShardIterator"] = ["LimitExceededException"]
    assert Reader(stream).drain() == ["0001"]


def test_other_errors_are_raised_and_change_nothing(stream: FakeStream) -> None:
    stream.shard("a")
    stream.change("a", 1)
    stream.failures["GetRecords"] = ["AccessDeniedException"]
    reader = Reader(stream)
    with pytest.raises(ServiceError, match="AccessDenied"):
        reader.poll()
    assert reader.drain() == ["0001"]


# --- gaps ----------------------------------------------------------------------------------------


def behind(stream: FakeStream, kept: MemoryCheckpoints) -> None:
    """A consumer that has read one change of three, and a stream that has dropped two."""
    stream.shard("a")
    stream.change("a", 1)
    Reader(stream, kept).drain()
    stream.change("a", 2)
    stream.clock.advance(RETENTION + 10)
    stream.change("a", 3)
    stream.shards["a"].trimmed = 2


def test_changes_that_were_dropped_unread(stream: FakeStream) -> None:
    kept = MemoryCheckpoints()
    behind(stream, kept)
    reader = Reader(stream, kept)
    with pytest.raises(ChangesLost, match=r"dropped changes after .* in shard a") as lost:
        reader.drain()
    with pytest.raises(ChangesLost):
        reader.drain()
    gap = lost.value.gap
    assert (gap.shard, gap.reason) == ("a", "expired")
    assert gap.after is not None
    assert gap.since is not None


def test_going_on_after_a_gap(stream: FakeStream) -> None:
    kept = MemoryCheckpoints()
    behind(stream, kept)
    gaps: list[Gap] = []
    assert Reader(stream, kept, on_gap=gaps.append).drain() == ["0003"]
    assert len(gaps) == 1
    assert Reader(stream, kept).drain() == []


def test_a_warning_about_a_gap(stream: FakeStream, caplog: pytest.LogCaptureFixture) -> None:
    kept = MemoryCheckpoints()
    behind(stream, kept)
    assert Reader(stream, kept, on_gap="continue").drain() == ["0003"]
    assert "dropped changes" in caplog.text


def test_a_shard_that_was_dropped_unread(stream: FakeStream) -> None:
    kept = MemoryCheckpoints()
    stream.shard("a")
    stream.change("a", 1)
    Reader(stream, kept).drain()
    stream.change("a", 2)
    stream.clock.advance(RETENTION + 10)
    stream.shards["a"].listed = False
    stream.shard("b", "a")
    stream.change("b", 3)
    with pytest.raises(ChangesLost):
        Reader(stream, kept).drain()
    assert Reader(stream, kept, on_gap="continue").drain() == ["0003"]


def test_an_idle_shard_whose_place_was_dropped(stream: FakeStream) -> None:
    """The last change is older than a day, but everything since was seen: nothing is lost."""
    kept = MemoryCheckpoints()
    stream.shard("a")
    stream.change("a", 1)
    reader = Reader(stream, kept)
    reader.drain()
    for _ in range(30):
        stream.clock.advance(3600)
        reader.now += 3600
        assert reader.drain() == []
    stream.shards["a"].trimmed = 1
    stream.change("a", 2)
    assert Reader(stream, kept).drain() == ["0002"]


def test_nothing_is_promised_to_one_who_never_read(stream: FakeStream) -> None:
    kept = MemoryCheckpoints()
    stream.shard("a")
    stream.change("a", 1)
    assert Reader(stream, kept).drain(commit=False) == ["0001"]
    stream.clock.advance(2 * RETENTION)
    stream.shards["a"].trimmed = 1
    stream.change("a", 2)
    assert Reader(stream, kept).drain() == ["0002"]


def test_a_shard_that_was_empty_when_it_was_last_seen(stream: FakeStream) -> None:
    """No number tells that something was dropped; the time does."""
    kept = MemoryCheckpoints()
    stream.shard("a")
    assert Reader(stream, kept).drain() == []
    stream.change("a", 1)
    stream.clock.advance(RETENTION + 10)
    stream.shards["a"].trimmed = 1
    with pytest.raises(ChangesLost):
        Reader(stream, kept).drain()


def test_records_that_are_dropped_while_they_are_read(stream: FakeStream) -> None:
    stream.shard("a")
    for number in range(4):
        stream.change("a", number)
    reader = Reader(stream, polling=SMALL)
    assert reader.poll() == ["0000", "0001"]
    reader.commit()
    stream.shards["a"].trimmed = 3
    stream.clock.advance(RETENTION + 10)
    with pytest.raises(ChangesLost):
        reader.poll()


@pytest.mark.parametrize("delivered", [False, True])
def test_what_was_read_is_not_taken_for_handled(stream: FakeStream, delivered: bool) -> None:
    kept = MemoryCheckpoints()
    stream.shard("a")
    stream.change("a", 1)
    Reader(stream, kept).drain()
    stream.change("a", 2)
    stream.clock.advance(20 * 3600)
    reader = Reader(stream, kept)
    if delivered:  # and never committed
        assert reader.drain(commit=False) == ["0002"]
        reader.following.rewind()
    else:  # an empty page is not the end of a shard
        stream.empty_pages = 2
        assert reader.poll() + reader.poll() == []
    reader.db.drive(reader.following.settle())
    stream.clock.advance(5 * 3600)
    stream.shards["a"].trimmed = 2
    with pytest.raises(ChangesLost):
        Reader(stream, kept).drain()


def test_a_lagging_child_is_not_taken_for_read(stream: FakeStream) -> None:
    """The end of a parent says nothing about how far its child was read."""
    kept = MemoryCheckpoints()
    stream.shard("a")
    stream.change("a", 1)
    Reader(stream, kept).drain()
    stream.shard("b", "a")
    stream.change("b", 2)
    stream.clock.advance(20 * 3600)
    reader = Reader(stream, kept)
    for _ in range(3):  # the parent's end is read and the child found, but nothing handled
        reader.poll()
    reader.db.drive(reader.following.settle())
    stream.clock.advance(5 * 3600)
    stream.shards["b"].trimmed = 1
    with pytest.raises(ChangesLost):
        Reader(stream, kept).drain()


# --- everything at once --------------------------------------------------------------------------

ACTIONS = [*["change"] * 6, "split", "poll", "poll", "commit", "settle", "crash", "rewind"]
ACTIONS += ["ExpiredIteratorException", "LimitExceededException"]


@settings(max_examples=many(150), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 7)), max_size=80))
def test_every_change_of_an_item_comes_in_order(actions: list[tuple[str, int]]) -> None:
    """Whatever happens: none is left out, and after a commit none before it comes again."""
    stream = FakeStream()
    kept = MemoryCheckpoints()
    homes = {f"item{number}": "root0" for number in range(4)}
    stream.shard("root0")
    shards, written = 1, dict.fromkeys(homes, 0)
    reader = Reader(stream, kept, polling=SMALL)
    delivered: dict[str, list[int]] = {name: [] for name in homes}
    committed = dict.fromkeys(homes, 0)

    def take(changes: list[Any]) -> None:
        for change in changes:
            number = int(change.new.order_id)
            seen = delivered[change.new.customer_id]
            # The next one, or again one that was not committed.
            assert number <= (seen[-1] if seen else 0) + 1
            assert number > committed[change.new.customer_id]
            seen.append(number)

    for action, choice in actions:
        name = f"item{choice % 4}"
        if action == "change":
            written[name] += 1
            stream.change(homes[name], written[name], name)
        elif action == "split":
            old = homes[name]
            moving = [each for each, home in homes.items() if home == old]
            children = [f"shard{shards}", f"shard{shards + 1}"]
            shards += 2
            for child in children:
                stream.shard(child, old)
            for place, each in enumerate(moving):
                homes[each] = children[(place + choice) % 2]
        elif action == "poll":
            take(reader.db.drive(reader.following.poll()))
        elif action == "commit":
            reader.commit()
            committed = {each: max(seen, default=0) for each, seen in delivered.items()}
        elif action == "crash":
            reader = Reader(stream, kept, polling=SMALL)
            for each, seen in delivered.items():
                seen[:] = [committed[each]] if committed[each] else []
        elif action == "rewind":
            reader.following.rewind()
            for each, seen in delivered.items():
                seen[:] = [committed[each]] if committed[each] else []
        elif action == "settle":
            reader.db.drive(reader.following.settle())
        else:
            stream.failures["GetRecords"] = [action]
        reader.now += 1
    for _ in range(200):
        take(reader.db.drive(reader.following.poll()))
        reader.commit()
        reader.now += 1
    assert {name: max(seen, default=0) for name, seen in delivered.items()} == written
