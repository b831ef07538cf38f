"""Organisations and apps over the API: created, changed, deleted, and who may."""

from __future__ import annotations

import asyncio
from datetime import datetime

from tests.systems.pricekeeper.settings.conftest import Run
from tests.systems.pricekeeper.settings.support import ORG, Api, app_body, org_body

from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.testing import injected

PATH = f"/orgs/{ORG}"
APP = f"{PATH}/apps/web"


# --- life ----------------------------------------------------------------------------------------


def test_an_organisation_is_created_with_a_secret_that_is_fetched_once(run: Run) -> None:
    async def test(api: Api) -> None:
        answer = await api("PUT", PATH, org_body())
        assert answer.status_code == 201
        made = answer.json()
        assert (made["org_id"], made["status"], made["version"]) == (ORG, "ACTIVE", 1)
        assert made["client_id"] == f"org-{ORG}"
        assert answer.headers["ETag"] == '"1"'
        assert answer.headers["Cache-Control"] == "no-store"

        token = {"token": made["retrieval_token"]}
        fetched = await api("POST", "/credentials/secret", token)
        assert fetched.json()["client_id"] == f"org-{ORG}"
        assert (await api("POST", "/credentials/secret", token)).status_code == 404
        assert ("org.create", f"org/{ORG}") in await api.audited()

    run(test)


def test_what_is_read_is_what_was_put(run: Run) -> None:
    body = org_body(
        quota_scope="BOTH",
        quotas_week={"_all": 70_000_000},
        alert_pcts=[95, 50, 50],
        late_window_hours=24,
        fail_mode="open",
    )

    async def test(api: Api) -> None:
        await api.put(PATH, body, 201)
        found = await api.get(PATH)
        assert {name: found[name] for name in body} == {**body, "alert_pcts": [50, 95]}
        assert (found["today"], found["day_ends_at"]) == ("2026-11-20", "2026-11-20T23:00:00Z")
        assert (await api.get("/orgs"))["items"] == [
            {"org_id": ORG, "org_name": "Sample", "status": "ACTIVE"}
        ]

    run(test)


def test_a_change_is_made_to_the_version_that_was_seen(run: Run) -> None:
    async def test(api: Api) -> None:
        await api.put(PATH, org_body(), 201)
        changed = await api.put(PATH, org_body(org_name="Other"), If_Match='"1"')
        assert (changed["org_name"], changed["version"]) == ("Other", 2)
        assert "retrieval_token" not in changed
        refused = await api("PUT", PATH, org_body(org_name="Third"), If_Match='"1"')
        assert (refused.status_code, refused.json()["code"]) == (412, "STALE_VERSION")
        refused = await api("PUT", PATH, org_body(org_name="Third"))
        assert (refused.status_code, refused.json()["code"]) == (428, "PRECONDITION_REQUIRED")
        refused = await api("PUT", PATH, org_body(org_name="Third"), If_None_Match="*")
        assert (refused.status_code, refused.json()["code"]) == (412, "ALREADY_EXISTS")
        assert (await api.get(PATH))["org_name"] == "Other"
        assert (await api.put(PATH, org_body(), If_Match="*"))["version"] == 3

    run(test)


def test_putting_the_same_again_changes_nothing(run: Run) -> None:
    async def test(api: Api) -> None:
        await api.put(PATH, org_body(), 201)
        assert (await api.put(PATH, org_body(), If_Match='"1"'))["version"] == 1
        assert [each[0] for each in await api.audited()].count("org.change") == 0

    run(test)


def test_what_nobody_can_have_seen_is_not_created(run: Run) -> None:
    async def test(api: Api) -> None:
        answer = await api("PUT", PATH, org_body(), If_Match='"1"')
        assert answer.status_code == 412
        assert (await api("GET", PATH)).status_code == 404

    run(test)


def test_of_many_who_create_one_does(run: Run) -> None:
    async def test(api: Api) -> None:
        answers = await asyncio.gather(*(api("PUT", PATH, org_body()) for _ in range(12)))
        codes = sorted(answer.status_code for answer in answers)
        assert codes.count(201) == 1
        assert set(codes) <= {201, 409, 428}
        assert [each[0] for each in await api.audited()].count("org.create") == 1

    run(test)


def test_of_many_who_change_one_version_one_does(run: Run) -> None:
    async def test(api: Api) -> None:
        await api.put(PATH, org_body(), 201)
        bodies = [org_body(org_name=f"Name {number}") for number in range(12)]
        answers = await asyncio.gather(*(api("PUT", PATH, each, If_Match='"1"') for each in bodies))
        assert sorted(answer.status_code for answer in answers) == [200] + 11 * [412]
        assert (await api.get(PATH))["version"] == 2

    run(test)


def test_an_answer_that_got_lost_on_the_way_to_us_is_no_second_change(
    run: Run, engine: Engine
) -> None:
    async def test(api: Api) -> None:
        lost = Fault("TransactWriteItems", error="InternalServerError", after=True, times=1)
        with injected(engine, lost):
            made = await api.put(PATH, org_body(), 201)
        assert made["version"] == 1
        assert (await api("POST", "/credentials/secret", {"token": made["retrieval_token"]})).json()

    run(test)


# --- status --------------------------------------------------------------------------------------


def test_a_status_stays_as_it_is_unless_it_is_given(run: Run) -> None:
    async def test(api: Api) -> None:
        await api.put(PATH, org_body(), 201)
        disabled = await api.put(PATH, org_body(status="DISABLED"), If_Match='"1"')
        assert disabled["status"] == "DISABLED"
        renamed = await api.put(PATH, org_body(org_name="New"), If_Match='"2"')
        assert renamed["status"] == "DISABLED"
        refused = await api("PUT", APP, app_body())
        assert (refused.status_code, refused.json()["code"]) == (409, "ORG_DISABLED")
        assert (await api.put(PATH, org_body(status="ACTIVE"), If_Match='"3"'))[
            "status"
        ] == "ACTIVE"
        assert (await api("PUT", PATH, org_body(status="DELETED"))).status_code == 422

    run(test)


def test_a_deleted_organisation_is_gone_for_callers_and_can_come_back(run: Run) -> None:
    async def test(api: Api) -> None:
        await api.put(PATH, org_body(), 201)
        await api.put(APP, app_body(), 201)
        assert (await api("DELETE", PATH, If_Match='"9"')).status_code == 412
        assert (await api("DELETE", PATH)).status_code == 204
        for path in (PATH, APP, f"{PATH}/apps"):
            assert (await api("GET", path)).status_code == 404, path
        assert (await api("DELETE", PATH)).status_code == 404
        assert (await api("PUT", APP, app_body(), If_Match="*")).status_code == 404
        assert (await api.get("/orgs"))["items"] == []
        assert (await api.get("/orgs?deleted=true"))["items"][0]["status"] == "DELETED"

        refused = await api("PUT", PATH, org_body(), If_Match='"2"')
        assert (refused.status_code, refused.json()["code"]) == (409, "DELETED")
        seen = await api.get(f"{PATH}?deleted=true")
        tag = f'"{seen["version"]}"'
        assert (await api.put(PATH, org_body(status="ACTIVE"), If_Match=tag))["status"] == "ACTIVE"
        assert (await api.get(APP))["app_id"] == "web"
        assert [each[0] for each in await api.audited()][-2:] == ["org.delete", "org.change"]

    run(test)


# --- apps ----------------------------------------------------------------------------------------


def test_an_app_is_created_changed_and_deleted(run: Run) -> None:
    async def test(api: Api) -> None:
        await api.put(PATH, org_body(), 201)
        made = await api.put(APP, app_body(quotas={"premium": 5}), 201)
        assert made["client_id"] == f"org-{ORG}-app-web"
        assert made["retrieval_token"]
        assert made["model_ordering"] is None
        changed = await api.put(
            APP, app_body(model_ordering=["standard"], quotas=None), If_Match='"1"'
        )
        assert (changed["model_ordering"], changed["quotas"]) == (["standard"], None)
        assert (await api("PUT", APP, app_body())).status_code == 428
        assert [each["app_id"] for each in (await api.get(f"{PATH}/apps"))["items"]] == ["web"]
        assert (await api("DELETE", APP, If_Match='"2"')).status_code == 204
        assert (await api.get(f"{PATH}/apps"))["items"] == []
        assert (await api("PUT", APP, app_body(), If_Match='"3"')).json()["code"] == "DELETED"
        again = await api.put(APP, app_body(status="ACTIVE"), If_Match='"3"')
        assert again["status"] == "ACTIVE"
        subject = f"org/{ORG}/app/web"
        actions = [action for action, about in await api.audited() if about == subject]
        assert actions == ["app.create", "app.change", "app.delete", "app.change"]

    run(test)


def test_an_app_needs_its_organisation(run: Run) -> None:
    async def test(api: Api) -> None:
        for method, body in (("PUT", app_body()), ("GET", None), ("DELETE", None)):
            assert (await api(method, APP, body)).status_code == 404

    run(test)


def test_lists_are_paged(run: Run) -> None:
    async def test(api: Api) -> None:
        await api.put(PATH, org_body(), 201)
        for number in range(5):
            await api.put(f"{PATH}/apps/app-{number}", app_body(), 201)
        assert (await api("DELETE", f"{PATH}/apps/app-1")).status_code == 204
        first = await api.get(f"{PATH}/apps?limit=2")
        assert [each["app_id"] for each in first["items"]] == ["app-0", "app-2"]
        rest = await api.get(f"{PATH}/apps?limit=9&cursor={first['next_cursor']}")
        assert [each["app_id"] for each in rest["items"]] == ["app-3", "app-4"]
        assert rest["next_cursor"] is None
        foreign = await api("GET", f"/orgs?cursor={first['next_cursor']}")
        assert (foreign.status_code, foreign.json()["code"]) == (400, "BAD_CURSOR")

    run(test)


# --- who may -------------------------------------------------------------------------------------


def test_who_may_do_what(run: Run) -> None:
    writes = [
        ("PUT", PATH, org_body()),
        ("DELETE", PATH, None),
        ("PUT", APP, app_body()),
        ("DELETE", APP, None),
        ("PUT", "/labels/premium", {"bedrock_model_id": "x"}),
        (
            "PUT",
            "/prices/x",
            {"input_price_usd_micros_per_1m": 1, "output_price_usd_micros_per_1m": 1},
        ),
        ("POST", "/prices/import", {"prices": []}),
        ("POST", "/prices/refresh", None),
        ("POST", "/prices/pending/approve", {}),
        ("POST", "/prices/pending/reject", {}),
    ]
    reads = [PATH, "/orgs", APP, f"{PATH}/apps", "/labels", "/labels/premium", "/prices"]
    reads += ["/prices/x", "/prices/pending"]

    async def test(api: Api) -> None:
        await api.put(PATH, org_body(), 201)
        await api.put(APP, app_body(), 201)
        for role in ("operator", "auditor", "nobody"):
            wanted = 401 if role == "nobody" else 403
            for method, path, body in writes:
                assert (await api.as_(role)(method, path, body)).status_code == wanted, (role, path)
            for path in reads:
                answer = await api.as_(role)("GET", path)
                assert answer.status_code == (401 if role == "nobody" else 200), (role, path)

    run(test)


# --- what is refused -----------------------------------------------------------------------------


def test_ids_of_organisations(run: Run) -> None:
    async def test(api: Api) -> None:
        for org_id in ("x", "ORG", f"{ORG}x", ORG[:-1], f"{ORG}%23APP%23web", f"{ORG}%00"):
            answer = await api("PUT", f"/orgs/{org_id}", org_body())
            assert (answer.status_code, answer.json()["code"]) == (400, "BAD_ORG_ID"), org_id
        assert (await api.get("/orgs"))["items"] == []
        # The same one, in large letters.
        assert (await api.put(f"/orgs/{ORG.upper()}", org_body(), 201))["org_id"] == ORG
        assert (await api.get(PATH))["version"] == 1

    run(test)


def test_ids_of_apps(run: Run) -> None:
    wrong = ("a%23LABEL%23b", "A", "-a", "_all", "a b", "a" * 64, "%C3%A4", "a%00")

    async def test(api: Api) -> None:
        await api.put(PATH, org_body(), 201)
        for app_id in wrong:
            for method, body in (("PUT", app_body()), ("GET", None), ("DELETE", None)):
                answer = await api(method, f"{PATH}/apps/{app_id}", body)
                assert (answer.status_code, answer.json()["code"]) == (400, "BAD_APP_ID"), app_id
        assert (await api.get(f"{PATH}/apps"))["items"] == []

    run(test)


#: A change to the settings, and the field that is wrong then.
WRONG: list[tuple[dict[str, object], str]] = [
    ({"timezone": "Mars/Olympus"}, "body.timezone"),
    ({"timezone": "../../etc/passwd"}, "body.timezone"),
    ({"timezone": "posix/Europe/Oslo"}, "body.timezone"),
    ({"timezone": "localtime"}, "body.timezone"),
    ({"model_ordering": []}, "body.model_ordering"),
    ({"model_ordering": ["premium", "premium"]}, "body.model_ordering"),
    ({"model_ordering": ["a#LABEL#b"]}, "body.model_ordering.0"),
    ({"model_ordering": ["unknown"], "quotas": {"_all": 1}}, "body.model_ordering.0"),
    ({"model_ordering": ["premium", "economy"]}, "body.quotas.economy"),
    ({"quotas": {"premium": -1, "standard": 1}}, "body.quotas.premium"),
    ({"quotas": {"premium": 10**15 + 1, "standard": 1}}, "body.quotas.premium"),
    ({"quotas": {"premium": 1.5, "standard": 1}}, "body.quotas.premium"),
    ({"quotas": {"_all": 1, "_other": 1}}, "body.quotas._other"),
    ({"quotas_month": {"gone": 1}}, "body.quotas_month.gone"),
    ({"agg_shard_count": 65}, "body.agg_shard_count"),
    ({"tight_mode_threshold_pct": 49}, "body.tight_mode_threshold_pct"),
    ({"alert_pcts": [0]}, "body.alert_pcts.0"),
    ({"late_window_hours": 23}, "body.late_window_hours"),
    ({"late_window_hours": 720, "ledger_retention_days": 30}, "body.ledger_retention_days"),
    ({"write_mode": "fast"}, "body.write_mode"),
    ({"org_name": ""}, "body.org_name"),
    ({"org_id": ORG}, "body.org_id"),
    ({"quota": {}}, "body.quota"),
]


def test_settings_that_cannot_be(run: Run) -> None:
    async def test(api: Api) -> None:
        for change, field in WRONG:
            answer = await api("PUT", PATH, org_body(**change))
            assert (answer.status_code, answer.json()["code"]) == (422, "INVALID"), answer.text
            told = [each["field"] for each in answer.json()["errors"]]
            assert any(each.startswith(field) for each in told), (change, told)
        assert (await api("GET", PATH)).status_code == 404

    run(test)


def test_a_limit_for_all_labels_is_one_for_each(run: Run) -> None:
    async def test(api: Api) -> None:
        await api.put(PATH, org_body(quotas={}, quotas_month={"_all": None}), 201)

    run(test)


def test_an_organisation_leaves_no_app_of_its_without_a_limit(run: Run) -> None:
    async def test(api: Api) -> None:
        limits = {"premium": 1, "standard": 1, "economy": 1}
        await api.put(PATH, org_body(quotas=limits), 201)
        await api.put(APP, app_body(model_ordering=["economy"]), 201)
        refused = await api("PUT", PATH, org_body(), If_Match='"1"')
        assert refused.status_code == 422
        assert "the app web" in refused.json()["errors"][0]["message"]
        assert (await api("DELETE", APP)).status_code == 204
        await api.put(PATH, org_body(), If_Match='"1"')
        refused = await api("PUT", f"{PATH}/apps/other", app_body(model_ordering=["economy"]))
        assert refused.json()["errors"][0]["field"] == "body.quotas.economy"

    run(test)


def test_no_settings_are_lost_to_a_body_that_is_none(run: Run) -> None:
    async def test(api: Api) -> None:
        for content in (b"", b"{", b"[]", b"null", b"\xff"):
            headers = {"X-API-Key": api.keys["admin"], "Content-Type": "application/json"}
            answer = await api.http.put(
                f"/pricekeeper/api/v1{PATH}", content=content, headers=headers
            )
            assert answer.status_code in (400, 422)
            assert answer.headers["content-type"] == "application/problem+json"

    run(test)


# --- what takes effect later ---------------------------------------------------------------------


def test_another_time_zone_counts_from_the_next_midnight(run: Run, clock: ManualClock) -> None:
    async def test(api: Api) -> None:
        await api.put(PATH, org_body(), 201)
        moved = await api.put(PATH, org_body(timezone="Asia/Tokyo"), If_Match='"1"')
        assert moved["zone_history"] == [
            {"effective_from": "1970-01-01T00:00:00Z", "timezone": "Europe/Oslo"},
            {"effective_from": "2026-11-20T23:00:00Z", "timezone": "Asia/Tokyo"},
        ]
        assert (moved["today"], moved["timezone"]) == ("2026-11-20", "Asia/Tokyo")
        clock.set(datetime.fromisoformat("2026-11-20T23:00:00Z").timestamp())
        later = await api.get(PATH)
        assert (later["today"], later["day_ends_at"]) == ("2026-11-21", "2026-11-21T15:00:00Z")

    run(test)


def test_reservations_start_at_a_midnight_that_is_five_minutes_away(
    run: Run, clock: ManualClock
) -> None:
    async def test(api: Api) -> None:
        await api.put(PATH, org_body(), 201)
        clock.set(datetime.fromisoformat("2026-11-20T22:56:00Z").timestamp())
        on = await api.put(PATH, org_body(reservations="on"), If_Match='"1"')
        assert on["reservations_from"] == "2026-11-21T23:00:00Z"
        same = await api.put(PATH, org_body(reservations="on", org_name="N"), If_Match='"2"')
        assert same["reservations_from"] == on["reservations_from"]
        off = await api.put(PATH, org_body(reservations="off"), If_Match='"3"')
        assert off["reservations_from"] is None

    run(test)


def test_a_new_organisation_may_reserve_at_once(run: Run) -> None:
    async def test(api: Api) -> None:
        made = await api.put(PATH, org_body(reservations="on"), 201)
        assert made["reservations_from"] == "2026-11-19T23:00:00Z"

    run(test)


def test_the_window_for_late_records_never_outgrows_the_ledger(
    run: Run, clock: ManualClock
) -> None:
    async def test(api: Api) -> None:
        short = {"late_window_hours": 24, "ledger_retention_days": 3}
        await api.put(PATH, org_body(**short), 201)
        long = {"late_window_hours": 240, "ledger_retention_days": 35}
        refused = await api("PUT", PATH, org_body(**long), If_Match='"1"')
        assert refused.json()["errors"][0]["field"] == "body.late_window_hours"
        await api.put(PATH, org_body(**{**long, "late_window_hours": 24}), If_Match='"1"')
        assert (await api("PUT", PATH, org_body(**long), If_Match='"2"')).status_code == 422
        # Now every record that the longer window lets in was kept for longer, too.
        clock.advance(240 * 3600)
        await api.put(PATH, org_body(**long), If_Match='"2"')

    run(test)


def test_an_app_is_not_created_while_its_organisation_goes(run: Run) -> None:
    async def test(api: Api) -> None:
        await api.put(PATH, org_body(), 201)
        deleting = api("DELETE", PATH)
        creating = [api("PUT", f"{PATH}/apps/app-{number}", app_body()) for number in range(8)]
        answers = await asyncio.gather(*creating[:4], deleting, *creating[4:])
        assert answers[4].status_code == 204
        for answer in (*answers[:4], *answers[5:]):
            assert answer.status_code in (201, 404, 409)
            if answer.status_code == 409:
                assert answer.json()["code"] == "ORG_DISABLED"

    run(test)


# --- some settings -------------------------------------------------------------------------------


def test_patch_with_only_quotas_keeps_everything_else(run: Run) -> None:
    async def test(api: Api) -> None:
        before = await api.put(PATH, org_body(alert_pcts=[70], late_window_hours=30), 201)
        quotas = {"premium": 1, "standard": None, "economy": 3}
        answer = await api("PATCH", PATH, {"quotas": quotas})
        assert (answer.status_code, answer.headers["ETag"]) == (200, '"2"')
        changed = {"quotas": quotas, "version": 2}
        secret = {"client_id", "retrieval_token", "retrieval_expires_at", "updated_at"}
        kept = {name: value for name, value in before.items() if name not in secret}
        assert answer.json() | {"updated_at": None} == {**kept, **changed, "updated_at": None}
        same = await api("PATCH", PATH, {"quotas": quotas}, If_Match='"2"')
        assert same.json()["version"] == 2
        refused = await api("PATCH", PATH, {"org_name": "Late"}, If_Match='"1"')
        assert (refused.status_code, refused.json()["code"]) == (412, "STALE_VERSION")
        for wrong in ({"org_name": None}, {"colour": "red"}, {"quotas": {"nobody": 1}}):
            assert (await api("PATCH", PATH, wrong)).status_code == 422
        assert (await api("PATCH", "/orgs/" + PATH[-36:-1] + "0", {})).status_code == 404

    run(test)


def test_patches_of_different_settings_at_once_all_take_effect(run: Run) -> None:
    async def test(api: Api) -> None:
        await api.put(PATH, org_body(), 201)
        patches = [{"org_name": "Both"}, {"fail_mode": "open"}, {"unpriced": "block"}]
        answers = await asyncio.gather(*(api("PATCH", PATH, each) for each in patches))
        assert {answer.status_code for answer in answers} == {200}
        stored = await api.get(PATH)
        assert {**patches[0], **patches[1], **patches[2]}.items() <= stored.items()

    run(test)


def test_put_that_would_reset_a_setting_is_refused_and_names_it(run: Run) -> None:
    async def test(api: Api) -> None:
        await api.put(PATH, org_body(fail_mode="open", alert_pcts=[70]), 201)
        refused = await api("PUT", PATH, org_body(org_name="Other"), If_Match='"1"')
        assert refused.status_code == 422
        fields = {each["field"] for each in refused.json()["errors"]}
        assert fields == {"body.fail_mode", "body.alert_pcts"}
        named = org_body(fail_mode="closed", alert_pcts=[50, 80, 95, 100])
        assert (await api.put(PATH, named, If_Match='"1"'))["fail_mode"] == "closed"

    run(test)


def test_patch_of_an_app_with_null_returns_to_the_settings_of_the_organisation(run: Run) -> None:
    async def test(api: Api) -> None:
        await api.put(PATH, org_body(), 201)
        app = f"{PATH}/apps/web"
        await api.put(app, {"app_name": "Web", "tight_mode_threshold_pct": 60}, 201)
        changed = (await api("PATCH", app, {"app_name": "Site"})).json()
        assert (changed["app_name"], changed["tight_mode_threshold_pct"]) == ("Site", 60)
        changed = (await api("PATCH", app, {"tight_mode_threshold_pct": None})).json()
        assert (changed["app_name"], changed["tight_mode_threshold_pct"]) == ("Site", None)

    run(test)


def test_a_blank_name_is_refused(run: Run) -> None:
    async def test(api: Api) -> None:
        for name in ("   ", "\u200b", "\u3164", "\u2800 "):
            refused = await api("PUT", PATH, org_body(org_name=name))
            assert refused.status_code == 422, name
            assert refused.json()["errors"][0]["field"] == "body.org_name"
        assert (await api.put(PATH, org_body(org_name=" Acme  Inc "), 201))[
            "org_name"
        ] == "Acme Inc"

    run(test)
