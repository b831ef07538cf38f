"""Items that were made from templates are recognised, whatever the templates."""

from __future__ import annotations

import string
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adopt.tables import av, keys, proposed, strays, table

from tablewright.values import Item

WORDS = st.text(string.ascii_uppercase, min_size=2, max_size=8)
#: How values of an attribute are made from a number; no two attributes of an item are ever equal.
VALUES = {
    "number": lambda seed, n: 10_000 * (seed + 1) + n,
    "text": lambda seed, n: f"v{seed}x{n}",
    "time": lambda seed, n: f"2026-{seed + 1:02d}-01T00:00:{n:02d}Z",
    "ulid": lambda seed, n: f"01KJH6F{seed:03d}0000000000000{n:03d}",
}


@dataclass(frozen=True)
class Design:
    """An entity: the words and attributes of its keys, from left to right."""

    name: str
    pk: tuple[str, ...]
    sk: tuple[str, ...]

    def template(self, parts: tuple[str, ...], sign: str) -> str:
        return sign.join(part if part.isupper() else f"{{{part}}}" for part in parts)

    def item(self, n: int, kinds: dict[str, str], sign: str, tag: str) -> Item:
        slots = {part for part in (*self.pk, *self.sk) if not part.isupper()}
        values = {
            name: VALUES[kinds[name]](seed, n) for seed, name in enumerate(kinds) if name in slots
        }
        made = {
            side: sign.join(part if part.isupper() else str(values[part]) for part in parts)
            for side, parts in (("PK", self.pk), ("SK", self.sk))
        }
        made |= {tag: self.name} if tag else {}
        return {name: av(value) for name, value in {**made, **values, "extra": "some text"}.items()}


FIELDS = ("alpha", "beta", "gamma")


@st.composite
def designs(draw: st.DrawFn) -> list[Design]:
    words = draw(st.lists(WORDS, min_size=2, max_size=8, unique=True))
    made = []
    for first, second in zip(words[::2], words[1::2], strict=False):
        a, b, c = draw(st.permutations(FIELDS))
        sort = draw(st.sampled_from([(second,), (second, b), (second, b, c), (b, second, c)]))
        made.append(Design(second.title(), (first, a), sort))
    return made


@given(
    designs(),
    st.fixed_dictionaries({name: st.sampled_from(sorted(VALUES)) for name in FIELDS}),
    st.sampled_from("#|/:"),
    st.sampled_from(["", "entity_type", "_type"]),
    st.integers(3, 8),
)
@settings(max_examples=25, deadline=None)
def test_templates_are_found_again(
    made: list[Design], kinds: dict[str, str], sign: str, tag: str, number: int
) -> None:
    items = [each.item(n, kinds, sign, tag) for each in made for n in range(number)]
    found = proposed(items, table(delimiter=sign))
    expected = {(each.template(each.pk, sign), each.template(each.sk, sign)) for each in made}
    assert set(keys(found).values()) == expected
    assert strays(found) == []
    assert found.model.tables["Legacy"].discriminator == (tag or None)


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["a", "b", "c d", "E", "type"]),
            st.recursive(
                st.none() | st.booleans() | st.text(max_size=5) | st.integers(-(10**20), 10**20),
                lambda inner: (
                    st.lists(inner, max_size=3)
                    | st.dictionaries(st.text(min_size=1, max_size=3), inner, max_size=3)
                ),
                max_leaves=4,
            ),
        ),
        min_size=1,
        max_size=12,
    ),
    st.lists(st.text(min_size=1, max_size=12), min_size=12, max_size=12, unique=True),
)
@settings(max_examples=25, deadline=None)
def test_whatever_is_stored_comes_back_or_is_listed(
    bodies: list[dict[str, object]], sorts: list[str]
) -> None:
    items = [
        {"PK": {"S": "x"}, "SK": {"S": sort}, **{name: av(each) for name, each in body.items()}}
        for body, sort in zip(bodies, sorts, strict=False)
    ]
    found = proposed(items)
    exact = sum(sum(each.exact.values()) for each in found.tables)
    assert exact + len(strays(found)) == len(items)
