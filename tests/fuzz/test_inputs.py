"""Files and texts that people hand in: each is read, or refused in words, and does nothing else."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.fuzz.declaring import inert, looked_at
from tests.sampling import many

from tablewright.adopt import propose, read_workbench
from tablewright.engine import Realism
from tablewright.model.errors import ModelError
from tablewright.service.auth import system_principal
from tablewright.service.commands import Desk
from tablewright.service.csv_cells import lines, text_cell, text_of
from tablewright.service.problems import Problem
from tablewright.service.typed import STDIN
from tablewright.systems.ladders.pages.rendered import detail_html, line_html
from tablewright.systems.pricekeeper.cli.prices import _rows
from tablewright.systems.pricekeeper.cli.usage_files import COLUMNS, NEEDED, Row, UsageFile
from tablewright.systems.sentiment.fetching.failures import Refused
from tablewright.systems.sentiment.fetching.feeds import _entries

NOBODY = system_principal("fuzz", "reader")
FEW = settings(max_examples=many(150), deadline=None)


def outcome(read: Callable[[], Any], *refusals: type[Exception]) -> Any:
    """What was read, or the refusal; anything else is what the test is looking for."""
    try:
        return read()
    except refusals as refusal:
        return refusal


# --- texts that may mean something ---------------------------------------------------------------

_HOSTILE = (
    '"""',
    "'''",
    '"""\nimport os\nos.abort()\n"""',
    '", x=__import__("os").abort(), y="',
    "\\",
    "\\N{BULLET}",
    "{0.__class__}",
    "{{",
    "}",
    "=1+1",
    "\ud800",
    "\x00",
    "\u2028",
    "²",
    "class",
    "__import__('os').abort()",
    "é",
    "",
)
texts = st.text(max_size=20) | st.sampled_from(_HOSTILE)
jsons = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)

# --- models of NoSQL Workbench, which become Python ----------------------------------------------

names = texts | st.sampled_from(["PK", "SK", "status", "{PK}", "ORDER#{status}", "by status"])
#: Mostly a text, sometimes something else altogether.
wild = names | names | names | jsons
attributes = st.fixed_dictionaries(
    {"AttributeName": wild, "AttributeType": st.sampled_from(["S", "N", "B"]) | wild}
)
values = st.fixed_dictionaries({"S": names}) | st.fixed_dictionaries({"N": names}) | jsons
keys = st.fixed_dictionaries({"PartitionKey": attributes}, optional={"SortKey": attributes})
tables = st.fixed_dictionaries(
    {"TableName": wild, "KeyAttributes": keys | jsons},
    optional={
        "NonKeyAttributes": st.lists(attributes, max_size=2) | jsons,
        "TableFacets": st.lists(
            st.fixed_dictionaries(
                {"FacetName": wild},
                optional={
                    "KeyAttributeAlias": st.fixed_dictionaries(
                        {"PartitionKeyAlias": wild}, optional={"SortKeyAlias": wild}
                    ),
                    "NonKeyAttributes": st.lists(wild, max_size=2),
                },
            ),
            max_size=2,
        ),
        "GlobalSecondaryIndexes": st.lists(
            st.fixed_dictionaries(
                {"IndexName": wild, "KeyAttributes": keys},
                optional={
                    "Projection": st.fixed_dictionaries(
                        {"ProjectionType": st.sampled_from(["ALL", "INCLUDE", "KEYS_ONLY"]) | wild},
                        optional={"NonKeyAttributes": st.lists(wild, max_size=2) | jsons},
                    )
                },
            ),
            max_size=2,
        ),
        "BillingMode": st.sampled_from(["PROVISIONED", "PAY_PER_REQUEST"]),
        "ProvisionedCapacitySettings": st.fixed_dictionaries(
            {"ProvisionedThroughput": st.fixed_dictionaries({"ReadCapacityUnits": wild})}
        ),
        "TableData": st.lists(st.dictionaries(names, values, max_size=3), max_size=3) | jsons,
    },
)
documents = st.fixed_dictionaries(
    {"DataModel": st.lists(tables, min_size=1, max_size=2)}, optional={"ModelName": wild}
)
PLAIN = {"PartitionKey": {"AttributeName": "PK", "AttributeType": "S"}}


def one_table(**more: Any) -> dict[str, Any]:
    return {"DataModel": [{"TableName": "things", "KeyAttributes": PLAIN, **more}]}


KEYS = {**PLAIN, "SortKey": {"AttributeName": "SK", "AttributeType": "S"}}
#: Texts that a file may have as names, so that they get as far as the source.
shown = names.filter(lambda text: text != "" and text.isprintable())
word = st.fixed_dictionaries({"S": names})
stored = word | st.fixed_dictionaries({"SS": st.just(["a"])})
#: Files that are nearly all right.
plausible = st.builds(
    one_table,
    KeyAttributes=st.just(KEYS),
    NonKeyAttributes=st.lists(
        st.fixed_dictionaries({"AttributeName": shown, "AttributeType": shown}), max_size=3
    ),
    TableFacets=st.lists(
        st.fixed_dictionaries(
            {
                "FacetName": shown,
                "KeyAttributeAlias": st.fixed_dictionaries(
                    {"PartitionKeyAlias": shown, "SortKeyAlias": shown}
                ),
            },
            optional={"NonKeyAttributes": st.lists(shown, max_size=3)},
        ),
        max_size=3,
    ),
    GlobalSecondaryIndexes=st.lists(
        st.fixed_dictionaries({"IndexName": st.just("by_status") | shown, "KeyAttributes": keys}),
        max_size=1,
    ),
    TableData=st.lists(
        st.fixed_dictionaries({"PK": word, "SK": word}).flatmap(
            lambda key: st.dictionaries(names, stored, max_size=3).map(lambda more: more | key)
        ),
        max_size=3,
    ),
)


@given(document=documents | plausible | jsons)
@settings(FEW)
@example(
    document=one_table(
        BillingMode="PROVISIONED",
        ProvisionedCapacitySettings={
            "ProvisionedThroughput": {"ReadCapacityUnits": "__import__('os').abort()"}
        },
    )
)
@example(
    document=one_table(
        GlobalSecondaryIndexes=[
            {"IndexName": 'by"""\nimport os\n"""', "KeyAttributes": PLAIN},
        ]
    )
)
@example(document=one_table(GlobalSecondaryIndexes=[{"IndexName": "²", "KeyAttributes": PLAIN}]))
def test_a_workbench_file_becomes_a_declaration_or_a_refusal(document: Any) -> None:
    with looked_at():
        found = outcome(lambda: propose(*read_workbench(json.dumps(document))), ModelError)
    if isinstance(found, ModelError):
        assert str(found)
    else:
        inert(found.source)


def test_a_workbench_file_that_never_ends_is_refused() -> None:
    with pytest.raises(ModelError, match="nested too deeply"):
        read_workbench("[" * 100_000)


# --- rows ----------------------------------------------------------------------------------------

cells = texts | st.sampled_from(["region", "standard", "2026-01-01T00:00:00Z", "9" * 5000, "1"])
prices = st.lists(
    st.lists(
        cells | st.sampled_from(["bedrock_model_id", "region_class", "effective_from"]), max_size=5
    ),
    max_size=4,
).map(lambda rows: "\n".join(",".join(row) for row in rows).encode("utf-8", "replace"))


@given(raw=st.binary(max_size=200) | prices | jsons.map(lambda each: json.dumps(each).encode()))
@settings(FEW)
@example(raw=b"bedrock_model_id\n" + b"9" * 5000)
@example(raw=b'a\n"' + b"x" * 200_000)
@example(raw=b"a\n1,2,3")
@example(raw=b"[" * 100_000)
def test_prices_are_read_or_refused(raw: bytes) -> None:
    found = outcome(lambda: _rows(raw, "a file"), Problem)
    assert found if isinstance(found, list) else found.status in (400, 422)


usage = st.lists(st.lists(cells, max_size=len(COLUMNS)), max_size=4).map(
    lambda rows: "\n".join([",".join(NEEDED), *(",".join(row) for row in rows)]).encode(
        "utf-8", "replace"
    )
)


@given(
    raw=st.binary(max_size=300) | usage | jsons.map(lambda each: json.dumps(each).encode()),
    form=st.sampled_from(["csv", "jsonl", None]),
)
@settings(FEW)
@example(raw=",".join(NEEDED).encode() + b'\n"' + b"x" * 200_000, form="csv")
def test_usage_is_read_row_by_row(raw: bytes, form: Any) -> None:
    found = outcome(lambda: usage_rows(raw, form), Problem)
    assert found if isinstance(found, bool) else found.status == 400


def usage_rows(raw: bytes, form: Any) -> bool:
    """Whether each row has its line, and values or what is wrong with it."""
    desk = Desk(by=NOBODY, tick=lambda _: None, stdin=io.BytesIO(raw), stdout=io.BytesIO())
    found: list[Row] = []
    with UsageFile(Path(STDIN), desk, form) as file:
        while rows := file.take(10):
            found += rows
    return all(row.line and not (row.values and row.fault) for row in found)


@given(text=st.text(max_size=60))
@settings(FEW)
def test_no_cell_is_a_formula_and_all_are_read_again(text: str) -> None:
    cell = text_cell(text)
    assert not cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert text_of(cell) == text or text.startswith("'")
    assume("\x00" not in text)
    assert lines([[text.encode("utf-8", "replace").decode()]])


# --- markup --------------------------------------------------------------------------------------

ALLOWED = {
    *("p", "em", "strong", "code", "pre", "ul", "ol", "li", "a", "br", "hr", "blockquote"),
    *("h1", "h2", "h3", "h4", "h5", "h6"),
}
markup = st.lists(
    texts
    | st.sampled_from(
        [
            *("<script>", "<img src=x onerror=y>", "](javascript:alert(1))", "[a", "![a", "<a:b>"),
            *("](data:text/html,x)", "&lt;script&gt;", "&#106;avascript:", "`", "```", "> ", "- "),
            *("<javascript:alert(1)>", "<http://x>", '"onclick="', "(", ")", "\n", "\n\n", "# "),
        ]
    ),
    max_size=12,
).map("".join)


class Reader(HTMLParser):
    """What a browser would see."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        for name, value in attrs:
            assert name in ("href", "title", "start", "class"), name
            if name == "href":
                address = "".join((value or "").split()).lower()
                assert not address.startswith(("javascript:", "vbscript:", "file:", "data:")), value


@given(text=markup)
@settings(FEW)
@example(text="[a](javascript:alert(1))")
@example(text="<javascript:alert(1)>")
@example(text='[a](http://x "onmouseover=alert(1)")')
def test_markdown_brings_no_script(text: str) -> None:
    for made in (detail_html(text), line_html(text)):
        reader = Reader()
        reader.feed(str(made))
        reader.close()


# --- feeds ---------------------------------------------------------------------------------------

_TAGS = ("rss", "channel", "item", "title", "link", "pubDate", "entry", "feed", "summary", "!")
feeds = st.lists(
    st.sampled_from([*(f"<{each}>" for each in _TAGS), *(f"</{each}>" for each in _TAGS)])
    | st.sampled_from(["<!DOCTYPE a [", "<!ENTITY x 'y'>", "]>", "&x;", "<![CDATA[", "]]>", "<!--"])
    | texts,
    max_size=16,
).map(lambda parts: "".join(parts).encode("utf-8", "replace"))


@given(
    body=feeds | st.binary(max_size=200),
    charset=st.none() | st.sampled_from(["utf-7", "x", ""]),
    url=st.sampled_from(["", "https://feed.example/a/rss.xml", "https://[", "x:y"]) | texts,
)
@settings(FEW)
@example(
    body=b"<rss><channel><item><title>a</title><link>b</link></item></channel>",
    charset=None,
    url="",
)
@example(body=b"/etc/passwd", charset=None, url="")
@example(
    body=b'{"version": "https://jsonfeed.org/version/1.1", "items": [7]}', charset=None, url=""
)
def test_feeds_are_read_or_refused(body: bytes, charset: str | None, url: str) -> None:
    found = outcome(lambda: _entries(body, "somebody", charset, url), Refused)
    if isinstance(found, Refused):
        assert found.code in ("NOT_A_FEED", "UNREADABLE_FEED", "UNSAFE_FEED")
    else:
        assert len(found[0]) + found[1] <= 1000


# --- settings of realism -------------------------------------------------------------------------

_WORDS = ("lag", "throughput", "partitions", "burst", "faults", "seed", "operation", "error")
realisms = st.dictionaries(st.sampled_from(_WORDS) | texts, jsons, max_size=3)


@given(said=realisms | jsons | st.builds(lambda each: {"faults": [each]}, realisms))
@settings(FEW)
def test_realism_is_read_or_refused(said: Any) -> None:
    found = outcome(lambda: Realism.parse(json.dumps(said)), ValueError)
    assert isinstance(found, Realism) or str(found)
