"""Reading RSS and Atom, from servers and from files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.systems.sentiment.sources.support import (
    Answering,
    asking,
    create,
    feed_folder,
    feed_server,
    read,
    rss,
    source_of,
    told,
)
from tests.systems.sentiment.support import ADMIN, all_articles, check_books, refused

from tablewright.clock import ManualClock
from tablewright.systems.sentiment.bodies.watch import TopicIn
from tablewright.systems.sentiment.fetching.failures import Refused
from tablewright.systems.sentiment.fetching.feeds import parsed
from tablewright.systems.sentiment.fetching.xml_text import safe_xml
from tablewright.systems.sentiment.rules.records import Record
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.testing.backends import Backend

XML = {"Content-Type": "application/rss+xml"}
ATOM = b"""<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>Atom News</title>
<entry><title>AI writes a poem</title><link href="https://atom.example/poem"/>
<author><name>Ann</name></author><updated>2026-11-20T10:00:00Z</updated>
<summary type="html">&lt;p&gt;It &lt;b&gt;rhymes&lt;/b&gt;.&lt;/p&gt;</summary></entry></feed>"""

Test = Callable[[Newsroom], Coroutine[Any, Any, None]]


def with_feed(
    backend: Backend, clock: ManualClock, answering: Answering, test: Test, **options: Any
) -> None:
    async def run(url: str) -> None:
        given = {"allow_local_feeds": True, **options}
        async with asking(backend, clock, url, **given) as (newsroom, _):
            await create(newsroom, source_type="rss", url=f"{url}/feed.xml")
            await test(newsroom)

    with feed_server(answering) as url:
        asyncio.run(run(url))


# --- what is read --------------------------------------------------------------------------------


def test_a_feed_is_fetched_again_only_if_it_has_changed(
    engine_backend: Backend, clock: ManualClock
) -> None:
    asked: list[tuple[str | None, str | None]] = []

    def answer(path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        asked.append((headers.get("if-none-match"), headers.get("if-modified-since")))
        if headers.get("if-none-match") == '"e1"':
            return 304, {}, b""
        marks = {"ETag": '"e1"', "Last-Modified": "Fri, 20 Nov 2026 11:50:00 GMT"}
        return 200, {**XML, **marks}, rss("AI wins", "AI loses", "Nothing at all")

    async def test(newsroom: Newsroom) -> None:
        assert told(await read(newsroom)) == {
            "state": "ok",
            "fetched": 3,
            "ingested": 2,
            "unmatched": 1,
        }
        assert told(await read(newsroom)) == {"state": "ok"}
        assert asked == [(None, None), ('"e1"', "Fri, 20 Nov 2026 11:50:00 GMT")]
        source = await source_of(newsroom, "press")
        assert (source.etag, source.cursor) == ('"e1"', "2026-11-20T11:40:00.000Z")

    with_feed(engine_backend, clock, answer, test)


def test_a_feed_that_was_not_stored_is_fetched_again(
    engine_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(newsroom: Newsroom) -> None:
        async def broken(*_: object, **__: object) -> None:
            raise RuntimeError("a mistake of ours")

        with monkeypatch.context() as patched:
            patched.setattr(newsroom.intake, "take", broken)
            assert told(await read(newsroom)) == {"state": "failed", "error_code": "INTERNAL"}
        assert (await source_of(newsroom, "press")).etag is None
        assert told(await read(newsroom))["ingested"] == 1

    with_feed(
        engine_backend, clock, lambda *_: (200, {**XML, "ETag": '"e1"'}, rss("AI wins")), test
    )


def test_bad_entries_are_counted(engine_backend: Backend, clock: ManualClock) -> None:
    body = rss("AI wins", "").replace(b"</channel>", b"<item><title>AI</title></item></channel>")

    async def test(newsroom: Newsroom) -> None:
        run = await read(newsroom)
        assert (run.state, run.fetched, run.ingested, run.rejected) == ("ok", 3, 1, 1)

    with_feed(engine_backend, clock, lambda *_: (200, XML, body), test)


def test_atom_is_read_too(engine_backend: Backend, clock: ManualClock) -> None:
    async def test(newsroom: Newsroom) -> None:
        assert told(await read(newsroom))["ingested"] == 1
        (article,) = await all_articles(newsroom)
        assert article.metadata.title == "AI writes a poem"
        assert article.metadata.source_name == "Atom News"
        assert "rhymes" in article.text_snippet
        assert "<" not in article.text_snippet

    headers = {"Content-Type": "application/atom+xml; charset=utf-8"}
    with_feed(engine_backend, clock, lambda *_: (200, headers, ATOM), test)


def records_of(body: bytes, url: str = "https://feeds.example/blog/feed") -> list[Record]:
    return asyncio.run(parsed(body, "feeds.example", url=url)).records


def items(*entries: str) -> bytes:
    return (
        f"<rss version='2.0'><channel><title>T</title>{''.join(entries)}</channel></rss>".encode()
    )


def test_latin_1_without_a_declaration_is_read_as_it_was_written() -> None:
    body = items(
        "<item><title>Gr\u00e8ve \u00e0 Paris</title><link>https://x.example/1</link></item>"
    )
    for declared in ("", "<?xml version='1.0'?>", "<?xml version='1.0' encoding='utf-8'?>"):
        (found,) = records_of(declared.encode() + body.decode().encode("latin-1"))
        assert found.title == "Gr\u00e8ve \u00e0 Paris"


def test_rss_091_with_its_document_type_is_read() -> None:
    doctype = (
        b'<?xml version="1.0"?>\n<!-- old -->\n<!DOCTYPE rss PUBLIC '
        b'"-//Netscape Communications//DTD RSS 0.91//EN" "http://example.com/rss-0.91.dtd">\n'
    )
    body = items("<item><title>AI wins</title><link>https://x.example/1</link></item>")
    (found,) = records_of(doctype + body.replace(b"2.0", b"0.91"))
    assert found.title == "AI wins"


@pytest.mark.parametrize(
    "kind", ["text/html", "text/html; charset=utf-8", "application/x-rss+xml", "application/json"]
)
def test_feed_is_known_by_its_content_not_by_its_type(
    engine_backend: Backend, clock: ManualClock, kind: str
) -> None:
    async def test(newsroom: Newsroom) -> None:
        assert told(await read(newsroom))["ingested"] == 1

    with_feed(engine_backend, clock, lambda *_: (200, {"Content-Type": kind}, rss("AI wins")), test)


def test_json_feed_is_read() -> None:
    body = b"""{"version": "https://jsonfeed.org/version/1.1", "title": "Blog", "items": [
      {"id": "1", "url": "/one", "title": "AI wins", "content_html": "<p>A prize.</p>",
       "date_published": "2026-11-20T10:00:00+01:00", "authors": [{"name": "Ann"}]},
      {"id": 2, "content_text": "AI has lost. It was close."}]}"""
    one, two = records_of(body)
    assert (one.title, one.url, one.source) == ("AI wins", "https://feeds.example/one", "Blog")
    assert (one.author, one.published_at) == ("Ann", datetime(2026, 11, 20, 9, tzinfo=UTC))
    assert (two.title, two.url) == ("AI has lost.", None)
    assert two.guid
    for other in (b'{"version": "2"}', b"{", b'{"items": []}'):
        with pytest.raises(Refused):
            records_of(other)


def test_relative_links_begin_at_the_feed() -> None:
    body = items(
        "<item><title>A</title><link>/news/1</link></item>",
        "<item><title>B</title><link>story-2</link></item>",
        "<item><title>C</title><link>//cdn.example/3</link></item>",
    )
    assert [each.url for each in records_of(body)] == [
        "https://feeds.example/news/1",
        "https://feeds.example/blog/story-2",
        "https://cdn.example/3",
    ]


def test_entry_without_a_title_is_called_by_its_first_sentence() -> None:
    """As the posts of Mastodon are."""
    long = "&lt;p&gt;" + "word " * 60 + "&lt;/p&gt;"
    body = items(
        "<item><description>&lt;p&gt;The &lt;b&gt;grid&lt;/b&gt; is back. All of it.&lt;/p&gt;"
        "</description><link>https://m.example.social/@a/1</link></item>",
        f"<item><description>{long}</description><link>https://x.example/2</link></item>",
        "<item><link>https://x.example/3</link></item>",
    )
    one, two = records_of(body)
    assert one.title == "The grid is back."
    assert len(two.title) <= 121
    assert two.title.endswith("word\u2026")


def test_years_that_cannot_be_are_left_out() -> None:
    body = items(
        "<item><title>AI</title><link>https://x.example/1</link>"
        "<pubDate>Mon, 01 Jan 0001 00:00:00 +0000</pubDate></item>"
    )
    (found,) = records_of(body)
    assert found.published_at is None


def test_entries_with_one_link_and_several_guids_are_all_kept(
    engine_backend: Backend, clock: ManualClock
) -> None:
    entries = [
        f"<item><title>AI incident {number}</title><link>https://status.example/</link>"
        f"<guid isPermaLink='false'>incident-{number}</guid></item>"
        for number in range(131)
    ]
    alone = "<item><title>AI</title><link>https://x.example/1</link><guid>g</guid></item>"

    async def test(newsroom: Newsroom) -> None:
        assert told(await read(newsroom))["ingested"] == 132
        clock.advance(3600)
        again = told(await read(newsroom))
        assert (again.get("ingested", 0), again["duplicates"]) == (0, 132)

    with_feed(engine_backend, clock, lambda *_: (200, XML, items(*entries, alone)), test)
    assert records_of(items(alone))[0].guid is None


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ((200, {"Content-Type": "text/html"}, b"<html>a page</html>"), "NOT_A_FEED"),
        ((200, XML, b"nothing at all"), "NOT_A_FEED"),
        ((200, XML, b""), "NOT_A_FEED"),
        ((200, XML, b"/etc/passwd"), "NOT_A_FEED"),
        ((200, XML, bytes(6 * 1024 * 1024)), "TOO_LARGE"),
        ((200, {**XML, "Content-Encoding": "br"}, b"x"), "BAD_ANSWER"),
        ((404, {}, b""), "UPSTREAM_REFUSED"),
        ((410, {}, b""), "UPSTREAM_REFUSED"),
        ((500, {}, b""), "UPSTREAM_ERROR"),
        ((302, {"Location": "/feed.xml"}, b""), "TOO_MANY_REDIRECTS"),
        ((302, {"Location": "http://10.0.0.1/"}, b""), "UNSAFE_URL"),
    ],
)
def test_what_is_no_feed_fails_and_opens_the_breaker(
    engine_backend: Backend,
    clock: ManualClock,
    answer: tuple[int, dict[str, str], bytes],
    code: str,
) -> None:
    async def test(newsroom: Newsroom) -> None:
        for _ in range(3):
            assert told(await read(newsroom)) == {"state": "failed", "error_code": code}
        assert (await newsroom.sources.get("press")).breaker == "open"

    with_feed(engine_backend, clock, lambda *_: answer, test)


@pytest.mark.parametrize("status", [429, 503])
def test_a_feed_may_ask_to_be_left_alone(
    engine_backend: Backend, clock: ManualClock, status: int
) -> None:
    async def test(newsroom: Newsroom) -> None:
        assert told(await read(newsroom)) == {"state": "failed", "error_code": "RATE_LIMITED"}
        source = await source_of(newsroom, "press")
        assert source.breaker_open_until is not None
        assert source.breaker_open_until.timestamp() - clock.now() == 3600

    with_feed(engine_backend, clock, lambda *_: (status, {"Retry-After": "3600"}, b""), test)


def test_feeds_of_this_machine_are_refused_unless_the_settings_allow_them(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def test() -> None:
        async with asking(engine_backend, clock, "https://newsapi.org") as (newsroom, _):
            for url in ("http://127.0.0.1:8080/feed.xml", "https://localhost/"):
                problem = await refused(create(newsroom, source_type="rss", url=url))
                assert (problem.status, problem.code) == (422, "UNSAFE_URL")

    asyncio.run(test())


# --- files ---------------------------------------------------------------------------------------


def test_a_feed_in_a_file(engine_backend: Backend, clock: ManualClock, tmp_path: Path) -> None:
    folder = feed_folder(tmp_path, news_xml=rss("AI wins"))

    async def test() -> None:
        options = {"feed_folder": folder}
        async with asking(engine_backend, clock, "https://newsapi.org", **options) as (newsroom, _):
            await create(newsroom, source_type="rss", url="file:news.xml")
            assert told(await read(newsroom))["ingested"] == 1
            assert told(await read(newsroom)) == {"state": "ok"}
            feed_folder(tmp_path, news_xml=rss("AI wins", "AI loses again"))
            assert told(await read(newsroom)) == {
                "state": "ok",
                "fetched": 2,
                "ingested": 1,
                "duplicates": 1,
            }
            (folder / "news.xml").unlink()
            assert told(await read(newsroom)) == {"state": "failed", "error_code": "NO_FILE"}

    asyncio.run(test())


def test_a_file_of_records_is_read_from_where_it_was(
    engine_backend: Backend, clock: ManualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = '{"title": "AI story %d", "url": "https://a.example/%d"}\n'
    lines = "".join(line % (number, number) for number in range(250))
    folder = feed_folder(tmp_path, old_jsonl=("not json\n" + lines).encode())

    async def test() -> None:
        options = {"feed_folder": folder}
        async with asking(engine_backend, clock, "https://newsapi.org", **options) as (newsroom, _):
            await create(newsroom, source_type="file", url="file:old.jsonl")
            take = newsroom.intake.take
            calls: list[int] = []

            async def second_fails(records: Any, **said: Any) -> Any:
                calls.append(len(records))
                if len(calls) == 2:
                    raise RuntimeError("a mistake of ours")
                return await take(records, **said)

            with monkeypatch.context() as patched:
                patched.setattr(newsroom.intake, "take", second_fails)
                run = await read(newsroom)
            assert (run.state, run.ingested, run.rejected) == ("partial", 99, 1)
            assert (await source_of(newsroom, "press")).cursor == "lines=100"
            run = await read(newsroom)
            assert (run.state, run.fetched, run.ingested) == ("ok", 151, 151)
            assert told(await read(newsroom)) == {"state": "ok"}

    asyncio.run(test())


def test_what_has_not_changed_is_read_again_by_other_rules(
    engine_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    """A topic that somebody adds, edits or makes anew finds what feeds and files still hold."""
    line = b'{"title": "AI runs the reactor", "url": "https://a.example/1"}\n'
    more = b'{"title": "A reactor is shut", "url": "https://a.example/2"}\n'
    feed = rss("AI builds a reactor", "A reactor starts")
    folder = feed_folder(tmp_path, news_xml=feed, old_jsonl=line + more)
    again = {"state": "ok", "fetched": 2, "duplicates": 2}

    async def test() -> None:
        options = {"feed_folder": folder}
        async with asking(engine_backend, clock, "https://newsapi.org", **options) as (newsroom, _):
            await create(newsroom, "feed", source_type="rss", url="file:news.xml")
            await create(newsroom, "file", source_type="file", url="file:old.jsonl")

            async def both() -> list[dict[str, object]]:
                return [told(await read(newsroom, name)) for name in ("feed", "file")]

            first = {"state": "ok", "fetched": 2, "ingested": 1, "unmatched": 1}
            assert await both() == [first] * 2
            for each in await all_articles(newsroom):
                await newsroom.analyst.analyse(each.source_id, each.timestamp)
            clock.advance(60)
            topic = await newsroom.watches.create(TopicIn(tag="Reactor", any=["reactor"]), ADMIN)
            second = {"state": "ok", "fetched": 2, "ingested": 1, "duplicates": 1}
            assert await both() == [second] * 2
            assert await both() == [{"state": "ok"}] * 2, "once"
            articles = await check_books(newsroom)
            assert sorted(sorted(each.matched_tags) for each in articles) == [
                ["AI", "Reactor"],
                ["AI", "Reactor"],
                ["Reactor"],
                ["Reactor"],
            ]
            # The same tag in its first version, for other words.
            await newsroom.watches.delete("reactor", ADMIN)
            assert await both() == [{**again, "duplicates": 1, "unmatched": 1}] * 2
            await newsroom.watches.create(TopicIn(tag="Reactor", any=["a reactor"]), ADMIN)
            assert topic.version == (await newsroom.watches.get("reactor")).version
            assert [each["state"] for each in await both()] == ["ok"] * 2
            assert await both() == [{"state": "ok"}] * 2
            await check_books(newsroom)

    asyncio.run(test())


def test_rules_that_change_while_a_feed_is_read_apply_to_all_of_it(
    engine_backend: Backend, clock: ManualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = '{"title": "Reactor story %d", "url": "https://a.example/%d"}\n'
    lines = "".join(line % (number, number) for number in range(150))
    folder = feed_folder(tmp_path, old_jsonl=lines.encode())

    async def test() -> None:
        options = {"feed_folder": folder}
        async with asking(engine_backend, clock, "https://newsapi.org", **options) as (newsroom, _):
            await create(newsroom, source_type="file", url="file:old.jsonl")
            take = newsroom.intake.take
            calls: list[int] = []

            async def edited_after_the_first(records: Any, **said: Any) -> Any:
                taken = await take(records, **said)
                if not calls:
                    body = TopicIn(tag="Reactor", any=["reactor"])
                    await newsroom.watches.create(body, ADMIN)
                calls.append(len(records))
                return taken

            monkeypatch.setattr(newsroom.intake, "take", edited_after_the_first)
            counted = [told(await read(newsroom)) for _ in range(3)]
            assert [(each.get("ingested"), each.get("unmatched")) for each in counted] == [
                (50, 100),
                (100, None),
                (None, None),
            ]
            assert len(await check_books(newsroom)) == 150

    asyncio.run(test())


@pytest.mark.parametrize(
    "url",
    [
        "file:../secret.xml",
        "file:/etc/passwd",
        "file:///etc/passwd",
        "file:sub/feed.xml",
        "file:.hidden.xml",
        "file:feed.txt",
        "file:link.xml",
        "file:",
    ],
)
def test_a_file_is_one_of_the_folder(
    engine_backend: Backend, clock: ManualClock, tmp_path: Path, url: str
) -> None:
    folder = feed_folder(tmp_path)
    (tmp_path / "secret.xml").write_bytes(rss("AI"))
    (folder / "link.xml").symlink_to(tmp_path / "secret.xml")

    async def test() -> None:
        options = {"feed_folder": folder}
        async with asking(engine_backend, clock, "https://newsapi.org", **options) as (newsroom, _):
            problem = await refused(create(newsroom, source_type="rss", url=url))
            assert (problem.status, problem.code) == (422, "UNSAFE_URL")

    asyncio.run(test())


# --- declarations --------------------------------------------------------------------------------

DOCTYPE = '<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize(
    "before",
    [
        DOCTYPE,
        f"<?xml version='1.0'?>\n{DOCTYPE}",
        f"<!-- a comment --><?pi?>{DOCTYPE}",
        f"<!-- <![CDATA[ -->{DOCTYPE}<!-- ]]> -->",
        DOCTYPE.lower(),
        "<!ENTITY x 'y'>",
        "<!-- a comment that does not end",
        "<![CDATA[ text that does not end",
    ],
)
def test_declarations_are_refused(before: str) -> None:
    with pytest.raises(Refused) as caught:
        safe_xml(rss("AI", before=before))
    assert caught.value.code == "UNSAFE_FEED"


def test_what_is_quoted_is_no_declaration() -> None:
    inside = "<![CDATA[<!DOCTYPE html><p>About AI</p>]]> &lt;!DOCTYPE html&gt; <!-- <!ENTITY -->"
    body = rss(f"AI {inside}", before="<?xml version='1.0' encoding='utf-8'?>")
    found = asyncio.run(parsed(body, "a"))
    assert len(found.records) == 1


@pytest.mark.parametrize(
    "encoding", ["utf-7", "cp037", "cp500", "unicode_escape", "hex", "nonsense"]
)
def test_encodings_that_hide_a_declaration_are_refused(encoding: str) -> None:
    declared = f"<?xml version='1.0' encoding='{encoding}'?>"
    with pytest.raises(Refused) as caught:
        safe_xml(rss("AI", before=declared))
    assert caught.value.code == "UNREADABLE_FEED"
    with pytest.raises(Refused):
        safe_xml(rss("AI"), charset=encoding)


def test_a_declared_encoding_that_is_not_the_real_one_hides_nothing() -> None:
    for real, said in (("utf-16-le", "utf-8"), ("utf-8", "utf-16"), ("utf-32-be", "ascii")):
        declared = f"<?xml version='1.0' encoding='{said}'?>{DOCTYPE}"
        with pytest.raises(Refused):
            safe_xml(rss("AI", before=declared).decode().encode(real))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "windows-1252", "utf-8-sig"])
def test_usual_encodings_are_read(encoding: str) -> None:
    name = encoding.removesuffix("-sig")
    text = rss("AI in München", before=f"<?xml version='1.0' encoding='{name}'?>").decode()
    found = asyncio.run(parsed(text.encode(encoding), "a"))
    assert [each.title for each in found.records] == ["AI in München"]


def test_many_comments_that_do_not_end_take_no_time() -> None:
    with pytest.raises(Refused):
        safe_xml(b"<!--" * 1_000_000)
