"""The door as programs use it."""

from __future__ import annotations

from tests.systems.kurukshetra.support import (
    EVENT,
    ORGANIZER,
    VOLUNTEER,
    api_on,
    event_made,
    person,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.systems.kurukshetra.tickets.token import TicketReader
from tablewright.testing.backends import Backend


def test_a_ticket_from_the_api_is_let_in_by_the_api(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def through() -> None:
        async with api_on(engine_backend, clock) as api:
            await event_made(api.festival)
            made = await team_made(api.festival, payment_status="paid")
            holder, door = api.as_(made.leader.principal), api.as_(VOLUNTEER)
            base = f"/events/{EVENT}"
            ticket = await holder.get(f"{base}/ticket")
            assert ticket["qr_svg"].startswith("<svg")
            assert ticket["team_name"] == made.team.name
            outfit = await door.get(f"{base}/checkin")
            read = TicketReader.of_jwks({"keys": outfit["keys"]}).read(ticket["ticket"])
            assert read is not None
            assert read.participant_id == made.leader.participant_id
            scan = {"ticket": ticket["ticket"], "list_id": "entry", "nonce": "nonce-0001"}
            assert await holder.refused("POST", f"{base}/checkin/scan", scan) == (403, "FORBIDDEN")
            said = await door.done("POST", f"{base}/checkin/scan", scan)
            assert said["result"] == "ok"
            assert set(said) == {
                *("nonce", "result", "at", "participant_id"),
                *("first_name", "last_name", "team_name", "redeemed_at"),
            }
            undo = {"participant_id": said["participant_id"], "list_id": "entry"}
            await door.done("POST", f"{base}/checkin/undo", undo)
            renewed = await holder.done("POST", f"{base}/ticket")
            assert renewed["version"] == 2
            batch = {
                "scans": [
                    {**scan, "nonce": "nonce-0002", "at": "2026-11-15T06:00:00Z"},
                    {
                        "ticket": renewed["ticket"],
                        "list_id": "entry",
                        "nonce": "nonce-0003",
                        "at": "2026-11-15T06:01:00Z",
                    },
                ]
            }
            results = (await door.done("POST", f"{base}/checkin/batch", batch))["results"]
            assert [each["result"] for each in results] == ["revoked", "ok"]
            twice = {"scans": [batch["scans"][0]] * 2}
            assert await door.refused("POST", f"{base}/checkin/batch", twice) == (422, "INVALID")
            stranger = api.as_(person("nobody"))
            assert (await stranger.refused("GET", f"{base}/ticket"))[0] == 403
            nowhere = "/events/no-such-event/checkin/scan"
            assert await door.refused("POST", nowhere, scan) == (404, "NOT_FOUND")
            revoke = f"{base}/admin/tickets/{said['participant_id']}/revoke"
            assert await door.refused("POST", revoke) == (403, "FORBIDDEN")
            await api.as_(ORGANIZER).done("POST", revoke)
            assert (await holder.get(f"{base}/ticket"))["version"] == 3

    run(through())
