"""Of what every system has: audit entries, messages to the outside, leases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from soak.image import Image, Item
from soak.invariants.finding import invariant, unless
from soak.journal import Journal


@invariant("acknowledged administration is in the audit log")
def audit(image: Image, journal: Journal, system: str) -> Iterator[str | None]:
    found = Counter(
        (str(item["action"]), str(item["subject"]))
        for item in image.items(f"{system}-kit")
        if str(item["PK"]).startswith("AUDIT#")
    )
    wanted = Counter(
        (str(deed.facts["action"]), str(deed.facts["subject"]))
        for deed in journal.sure(system, "audited")
    )
    for (action, subject), times in wanted.items():
        have = found[action, subject]
        yield unless(have >= times, f"{system}: {action} of {subject} is there {have} of {times}")


@invariant("messages are delivered at least once, under one id")
def outbox(
    image: Image,
    delivered: Sequence[Mapping[str, Any]],
    system: str,
    quiet: Image | None = None,
) -> Iterator[str | None]:
    """``delivered``: the lines of the file that they go to. What came after ``quiet``, when all was
    delivered, may wait: nobody was given the time to do it."""
    known = (
        None if quiet is None else {str(each["message_id"]) for each in _messages(quiet, system)}
    )
    seen = {str(line["id"]): _content(line) for line in delivered}
    for item in _messages(image, system):
        place, message = str(item["place"]), str(item["message_id"])
        waits = place.startswith("PENDING") and (known is None or message in known)
        yield unless(not waits, f"{system}: {message} still waits")
        yield unless(place != "DEAD", f"{system}: {message} was given up")
        if place.startswith("SENT"):
            yield unless(message in seen, f"{system}: {message} was sent and never arrived")


@invariant("repeated messages are the same ones")
def repeats(delivered: Sequence[Mapping[str, Any]]) -> Iterator[str | None]:
    seen: dict[str, Mapping[str, Any]] = {}
    for line in delivered:
        content = _content(line)
        first = seen.setdefault(str(line["id"]), content)
        yield unless(first == content, f"{line['id']} came with another content")


def _content(line: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: line.get(name) for name in ("kind", "subject", "body", "system")}


def _messages(image: Image, system: str) -> Iterator[Item]:
    for item in image.items(f"{system}-kit"):
        if str(item["PK"]).startswith("OUTBOX#"):
            yield item


@invariant("fences of leases never fall")
def fences(before: Image, after: Image) -> Iterator[str | None]:
    """Of two images, the later one has every lease of the earlier, with no smaller fence."""
    for name, table in before.tables.items():
        for key, item in table.items.items():
            if not str(key[0]).startswith("LEASE#"):
                continue
            now = after.tables[name].items.get(key)
            fence = -1 if now is None else now["fence"]
            yield unless(fence >= item["fence"], f"{name}: {key[0]} fell to {fence}")
