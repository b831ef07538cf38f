"""Patterns that are run from their pages: on the practice tables, and on the live ones."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator

import orjson
import pytest
from tests.console import gallery
from tests.console.explorer.workbench import MODEL, run, run_page, said, workbench
from tests.console.support import Browser, signed_in
from tests.service.support import Running

from tablewright.cli.up_place import empty_database
from tablewright.client import AsyncDb
from tablewright.clock import SystemClock
from tablewright.console.assets import Assets
from tablewright.console.explorer.explaining import explained
from tablewright.console.explorer.grounds import Ground
from tablewright.console.explorer.recording import Recording
from tablewright.console.explorer.running import Run, run_pattern
from tablewright.model import Delete, write
from tablewright.model.errors import Failure, NotFound, RequestError, TransactionCancelled

PAINTING = '{"wall": "south", "name": "one", "price": 7}'


@pytest.fixture(scope="module")
def service(assets: Assets) -> Iterator[Running]:
    with workbench(assets) as running:
        yield running


@pytest.fixture
def admin(service: Running) -> Iterator[Browser]:
    with signed_in(service, "demo-admin") as browser:
        browser.post(f"{MODEL}/practice", {})
        yield browser


@pytest.fixture
def visitor(service: Running) -> Iterator[Browser]:
    with signed_in(service, "demo-visitor") as browser:
        browser.post(f"{MODEL}/practice", {})
        yield browser


# --- runs ----------------------------------------------------------------------------------


def test_a_write_and_a_read_with_requests_items_and_units(visitor: Browser) -> None:
    hung = run(visitor, "hang", painting=PAINTING)
    assert "On the practice tables" in hung
    assert re.search(r"Gallery – 1 – 1", hung), hung
    page = run_page(visitor, "painting", wall="south", name="one")
    assert "&#34;S&#34;: &#34;WALL#south&#34;" in page
    assert re.search(r"Painting 1 result, decoded wall south name one price 7", said(page))
    assert "Gallery 0.5 – 0.5 –" in said(page)


def test_nothing_found_is_said(visitor: Browser) -> None:
    assert "Nothing was found" in run(visitor, "painting", wall="south", name="one")


def test_filling_anew_forgets_what_was_done(visitor: Browser) -> None:
    run(visitor, "hang", painting=PAINTING)
    answer = visitor.post(f"{MODEL}/practice", {"back": f"{MODEL}/browse"})
    assert (answer.status_code, answer.headers["location"]) == (303, f"{MODEL}/browse")
    assert "Nothing was found" in run(visitor, "painting", wall="south", name="one")


def test_filling_anew_leads_nowhere_else(visitor: Browser) -> None:
    answer = visitor.post(f"{MODEL}/practice", {"back": "//evil.example"})
    assert answer.headers["location"] == f"{MODEL}/patterns"


def test_a_page_leads_to_the_next_and_its_cursor_to_nothing_else(admin: Browser) -> None:
    first = run_page(admin, "paintings", ground="live", wall="north")
    assert first.count("number0") == 10 * 4  # a row, the JSON, two attributes of the answer
    cursor = re.search(r'name="run-cursor" value="([^"]+)"', first)
    assert cursor is not None
    more = {"run-cursor": cursor[1]}
    second = run(admin, "paintings", ground="live", wall="north", **more)
    assert "5 results, decoded" in second
    assert "run-cursor" not in second
    other = run(admin, "paintings", ground="live", wall="south", **more)
    assert "does not belong to paintings with these arguments" in other
    practice = run(admin, "paintings", ground="practice", wall="north", **more)
    assert "the cursor was changed" in practice


def test_what_is_wrong_stands_at_its_field(visitor: Browser) -> None:
    typed = {"run-ground": "practice", "painting": '{"wall": "south"}'}
    answer = visitor.post(f"{MODEL}/patterns/hang/run", typed)
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in answer.text
    assert "name: Field required." in said(answer.text)
    assert "{&#34;wall&#34;: &#34;south&#34;}" in answer.text
    part = visitor.client.post(
        f"{MODEL}/patterns/hang/run",
        data={**typed, "csrf_token": visitor.token()},
        headers={"HX-Request": "true"},
    )
    assert part.status_code == 200
    assert part.text.lstrip().startswith('<div id="run"')


# --- who may what --------------------------------------------------------------------------


def test_a_visitor_does_not_see_what_is_stored(visitor: Browser) -> None:
    answer = visitor.post(
        f"{MODEL}/patterns/paintings/run", {"run-ground": "live", "wall": "north"}
    )
    assert answer.status_code == 403
    assert "number00" not in answer.text
    assert 'value="live"' not in visitor.get(f"{MODEL}/patterns/paintings").text


def test_an_admin_reads_what_is_stored_and_writes_nothing(admin: Browser) -> None:
    assert "price 3" in run(admin, "painting", ground="live", wall="north", name="number03")
    form = {"run-ground": "live", "painting": PAINTING}
    assert admin.post(f"{MODEL}/patterns/hang/run", form).status_code == 403
    assert "Nothing was found" in run(admin, "painting", ground="live", wall="south", name="one")


def test_without_the_token_of_the_page_nothing_is_run(visitor: Browser) -> None:
    form = {"run-ground": "practice", "wall": "a", "name": "b"}
    answer = visitor.post(f"{MODEL}/patterns/painting/run", form, token=False)
    assert answer.status_code == 403


@pytest.mark.parametrize(
    ("path", "ground", "status"),
    [("patterns/none/run", "practice", 404), ("patterns/painting/run", "elsewhere", 404)],
)
def test_what_is_not_there(visitor: Browser, path: str, ground: str, status: int) -> None:
    assert visitor.post(f"{MODEL}/{path}", {"run-ground": ground}).status_code == status


def test_settings_keep_admins_out_of_what_is_stored(assets: Assets) -> None:
    with (
        workbench(assets, practice=False, explore_data=False) as service,
        signed_in(service, "demo-admin") as admin,
    ):
        answer = admin.post(
            f"{MODEL}/patterns/painting/run",
            {"run-ground": "live", "wall": "north", "name": "number00"},
        )
        assert answer.status_code == 403
        assert "explore_data" in answer.text
        for path in ("patterns/painting", "browse", "partiql"):
            page = admin.get(f"{MODEL}/{path}")
            assert page.status_code == 200
            assert "the live ones are for admins" in page.text


# --- the record ----------------------------------------------------------------------------


def test_the_record_keeps_requests_answers_and_refusals() -> None:
    async def scene() -> Recording:
        recording = Recording(empty_database(SystemClock()))
        db = AsyncDb(recording, hook=lambda event: None)
        await db.create_tables(gallery.model)
        recording.exchanges.clear()
        painting = gallery.Painting(wall="north", name="one")
        await db.run(gallery.hang(painting))
        await db.run(gallery.paintings("north"))
        with pytest.raises(Exception, match="already"):
            await db.run(gallery.put(painting).new())
        await recording.inner.close()
        return recording

    put, query, refused = asyncio.run(scene()).exchanges
    assert (put.operation, put.consumed[0].write_units) == ("PutItem", 1.0)
    assert json.loads(put.request)["TableName"] == "Gallery"
    assert query.items == [orjson.loads(put.request)["Item"]]
    assert (query.consumed[0].read_units, query.error) == (0.5, "")
    assert refused.error == "ConditionalCheckFailedException"


def test_a_record_of_reads_lets_no_write_through() -> None:
    async def scene() -> None:
        transport = empty_database(SystemClock())
        await AsyncDb(transport).create_tables(gallery.model)
        db = AsyncDb(Recording(transport, reads_only=True))
        with pytest.raises(RequestError, match="PutItem"):
            await db.run(gallery.hang(gallery.Painting(wall="north", name="one")))
        assert list(await AsyncDb(transport).run(gallery.paintings("north"))) == []
        await transport.close()

    asyncio.run(scene())


# --- what goes wrong -----------------------------------------------------------------------


def test_the_members_of_a_cancelled_transaction_are_told_with_what_is_stored() -> None:
    stored = gallery.Painting(wall="north", name="one")
    failure = Failure(1, gallery.hang(stored), "ConditionalCheckFailed", NotFound("gone", stored))
    refusal = explained(TransactionCancelled("swap was cancelled: member 1: gone", [failure]))
    assert refusal.text == "swap was cancelled: see what is wrong with its members."
    assert refusal.details == ["Member 2, Put: ConditionalCheckFailed. gone"]
    assert json.loads(refusal.stored)["wall"] == "north"


def test_whatever_a_pattern_raises_is_told() -> None:
    @write()
    def broken(wall: str) -> Delete[gallery.Painting]:
        raise LookupError(f"no {wall} wall")

    async def scene() -> Run:
        recording = Recording(empty_database(SystemClock()))
        ground = Ground("practice", AsyncDb(recording), recording, gallery.model.tables)
        return await run_pattern(ground, broken, {"wall": "west"})

    refusal = asyncio.run(scene()).refusal
    assert refusal is not None
    assert (refusal.code, "LookupError: no west wall" in refusal.text) == ("PATTERN_RAISED", True)
