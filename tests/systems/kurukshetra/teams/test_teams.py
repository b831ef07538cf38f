"""Teams: founded once, joined by who may, seen by who may, and gone without a trace."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from tests.systems.kurukshetra.support import (
    AUDITOR,
    EVENT,
    FINANCE,
    NOW,
    ORGANIZER,
    audited,
    caller,
    event_made,
    festival_on,
    moment,
    person,
    refused,
    registered,
    registration,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.model import put
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import outdated
from tablewright.service.preconditions import Precondition
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.bodies.teams import TeamChange, TeamIn
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing import Backend


def wanted(name: str = "Code Warriors", track: str = "ai-ml", **said: Any) -> TeamIn:
    return TeamIn.model_validate({"name": name, "track": track, **said})


async def moved(festival: Festival, team_id: str, **changes: Any) -> None:
    """The team in another state, however that came about."""
    team = await festival.db.require(m.team(EVENT, team_id))
    await festival.db.run(put(team.model_copy(update=changes)).replace())


async def page(festival: Festival, team_id: str) -> m.TeamPage:
    return await festival.db.require(m.team_page(EVENT, team_id))


def test_registering_with_a_team_goes_on_where_it_stopped(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            asha = await caller(festival, person("asha"))
            said = registration("asha")
            team = await festival.teams.register_team(asha, said, wanted("Code  Warriors"))
            assert (team.name, team.member_count, team.payment_status) == (
                "Code Warriors",
                1,
                "unpaid",
            )
            # Again, as after an answer that was lost: the same team, under any spelling.
            again = await festival.teams.register_team(asha, said, wanted("code warriors"))
            assert again.team_id == team.team_id
            problem = await refused(festival.teams.register_team(asha, said, wanted("Others")))
            assert problem.code == "ALREADY_IN_TEAM"

            ravi = await caller(festival, person("ravi"))
            work = festival.teams.register_team(ravi, registration("ravi"), wanted("CODE WARRIORS"))
            assert (await refused(work)).code == "NAME_TAKEN"
            # The first of the two transactions is done, and need not be repeated.
            other = await festival.teams.found(ravi, wanted("Null Pointers"))
            assert (await caller(festival, ravi.principal)).team_id == other.team_id

            nobody = await caller(festival, person("nobody"))
            assert (await refused(festival.teams.found(nobody, wanted("Solo")))).code == (
                "NOT_REGISTERED"
            )
            meera = await registered(festival, EVENT, "meera")
            assert (
                await refused(festival.teams.found(meera, wanted(track="poetry")))
            ).status == 422
            assert (await refused(festival.teams.found(meera, wanted("-- --")))).status == 422
            clock.advance(timedelta(days=15).total_seconds())
            assert (await refused(festival.teams.found(meera, wanted("Late")))).code == (
                "REGISTRATION_CLOSED"
            )

    run(go())


def test_two_found_a_team_of_one_name_at_once(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            people = [await registered(festival, EVENT, f"founder-{n}") for n in range(4)]
            works = (festival.teams.found(each, wanted()) for each in people)
            ends = await asyncio.gather(*works, return_exceptions=True)
            assert sum(isinstance(each, m.Team) for each in ends) == 1
            assert {getattr(e, "code", "") for e in ends if isinstance(e, Exception)} == {
                "NAME_TAKEN"
            }

    run(go())


def test_a_code_lets_people_in_until_it_is_changed(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            config = await event_made(festival)
            made = await team_made(festival, size=2)
            asha = await registered(festival, EVENT, "asha")
            spelt = f" {made.code[:4].lower()}-{made.code[4:].lower()} "
            joined = await festival.teams.join(asha, spelt)
            assert joined.member_count == 3
            assert (await festival.teams.join(asha, made.code)).version == joined.version
            other = await team_made(festival, size=1)
            assert (await refused(festival.teams.join(asha, other.code))).code == "ALREADY_IN_TEAM"

            new = await festival.teams.rotate(made.leader, made.team_id)
            ravi = await registered(festival, EVENT, "ravi")
            assert (await refused(festival.teams.join(ravi, made.code))).code == "INVITE_INVALID"
            await festival.teams.join(ravi, new)
            late = await registered(festival, EVENT, "late")
            assert (await refused(festival.teams.join(late, new))).code == "TEAM_FULL"

            await moved(festival, made.team_id, payment_status="paid")
            await festival.teams.leave(ravi, made.team_id)
            await festival.teams.leave(asha, made.team_id)
            member = made.members[1]
            problem = await refused(festival.teams.leave(member, made.team_id))
            assert problem.code == "TOO_FEW_MEMBERS"
            assert (await refused(festival.teams.leave(asha, made.team_id))).status == 404
            clock.set(config.roster_lock_at.timestamp())
            assert (await refused(festival.teams.join(asha, new))).code == "ROSTER_LOCKED"
            await moved(festival, made.team_id, member_count=3)
            problem = await refused(festival.teams.leave(member, made.team_id))
            assert problem.code == "ROSTER_LOCKED"

    run(go())


def test_codes_are_not_guessed(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            made = await team_made(festival, size=1)
            guesser = await registered(festival, EVENT, "guesser")
            for number in range(10):
                work = festival.teams.join(guesser, f"{number:08d}", "192.0.2.1")
                assert (await refused(work)).code == "INVITE_INVALID"
            # Neither they, nor somebody else from the same place, not even with the right one.
            assert (await refused(festival.teams.join(guesser, made.code, "192.0.2.9"))).status == (
                429
            )
            friend = await registered(festival, EVENT, "friend")
            work = festival.teams.join(friend, made.code, "192.0.2.1")
            assert (await refused(work)).status == 429
            await festival.teams.join(friend, made.code, "192.0.2.2")

    run(go())


def test_who_is_invited_by_mail_needs_no_code(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            leader = await caller(festival, person("asha"))
            body = wanted(invite=["Meera@People.test", "ravi@people.test"])
            team = await festival.teams.register_team(leader, registration("asha"), body)
            leader = await caller(festival, leader.principal)
            view = await festival.teams.read(leader, team.team_id)
            assert {each.email for each in view.invited} == {
                "Meera@People.test",
                "ravi@people.test",
            }
            meera = await registered(festival, EVENT, "meera")
            await festival.teams.accept(meera, team.team_id)
            stranger = await registered(festival, EVENT, "stranger")
            assert (await refused(festival.teams.accept(stranger, team.team_id))).code == (
                "INVITE_INVALID"
            )
            (left,) = (await page(festival, team.team_id)).invited
            await festival.teams.withdraw(leader, team.team_id, left.email_hash)
            ravi = await registered(festival, EVENT, "ravi")
            assert (await refused(festival.teams.accept(ravi, team.team_id))).status == 404

            many = [f"friend-{number}@people.test" for number in range(21)]
            problem = await refused(festival.teams.invite(leader, team.team_id, many))
            assert problem.code == "TOO_MANY_INVITATIONS"
            problem = await refused(festival.teams.invite(leader, team.team_id, ["nobody"]))
            assert (problem.status, problem.errors[0].field) == (422, "body.emails.0")
            await festival.teams.invite(leader, team.team_id, many[:20])
            clock.advance(timedelta(hours=2).total_seconds())
            # Asked again, and then too often.
            await festival.teams.invite(leader, team.team_id, many[:20])
            assert len((await page(festival, team.team_id)).invited) == 20
            for each in (await page(festival, team.team_id)).invited[:11]:
                await festival.teams.withdraw(leader, team.team_id, each.email_hash)
            more = [f"other-{number}@people.test" for number in range(11)]
            problem = await refused(festival.teams.invite(leader, team.team_id, more))
            assert problem.code == "RATE_LIMITED"
            clock.advance(timedelta(days=14).total_seconds())
            assert (await page(festival, team.team_id)).invited == ()

    run(go())


def test_names_tracks_and_repositories(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            one, other = await team_made(festival, size=1), await team_made(festival, size=1)
            teams, leader = festival.teams, one.leader

            async def edit(seen: int, **said: str) -> m.Team:
                body, said_of = TeamChange.model_validate(said), Precondition.seen(seen)
                return await teams.edit(leader, one.team_id, body, said_of)

            both = await edit(one.team.version, name="Fresh", track="blockchain")
            assert (both.name, both.track) == ("Fresh", "blockchain")
            problem = await refused(edit(one.team.version, name="Stale"))
            assert (problem.status, problem.code) == (412, "VERSION_CONFLICT")
            spelt = await edit(both.version, name="FRESH")
            assert spelt.name == "FRESH"
            assert (await refused(edit(spelt.version, name=other.team.name))).code == "NAME_TAKEN"
            assert await teams.name_taken(EVENT, "fresh")
            assert not await teams.name_taken(EVENT, one.team.name)

            url = "https://github.com/Team/Work"
            await teams.repository(leader, one.team_id, f"{url}.git")
            work = teams.repository(other.leader, other.team_id, url.lower())
            assert (await refused(work)).code == "REPO_TAKEN"
            await teams.repository(leader, one.team_id, "https://gitlab.com/team/work")
            taken = await teams.repository(other.leader, other.team_id, url.lower())
            assert taken.repo_url == url.lower()
            problem = await refused(teams.repository(leader, one.team_id, "http://evil.test/a/b"))
            assert (problem.status, problem.errors[0].field) == (422, "body.repo_url")

            await moved(festival, one.team_id, payment_status="paid")
            problem = await refused(edit(spelt.version + 3, track="ai-ml"))
            assert problem.code in ("WRONG_STATE", "VERSION_CONFLICT")
            latest = (await page(festival, one.team_id)).team.version
            assert (await refused(edit(latest, track="ai-ml"))).code == "WRONG_STATE"
            assert (await refused(teams.disband(leader, one.team_id))).code == "WRONG_STATE"

    run(go())


def test_what_is_disbanded_leaves_nothing_taken(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            made = await team_made(festival, size=3, name="Loose Ends")
            teams, url = festival.teams, "https://github.com/loose/ends"
            await teams.invite(made.leader, made.team_id, ["friend@people.test"])
            before = await page(festival, made.team_id)
            await teams.repository(made.leader, made.team_id, url)
            # Who has looked before the repository was set has to look again.
            with pytest.raises(TransactionCancelled) as caught:
                await festival.db.run(
                    m.disband_team(before.team, before.members, before.invited, None, NOW)
                )
            assert outdated(caught.value)

            member = made.members[1]
            assert (await refused(teams.disband(member, made.team_id))).status == 403
            await teams.disband(made.leader, made.team_id)
            after = await page(festival, made.team_id)
            assert (after.team.payment_status, after.members, after.invited, after.submission) == (
                "cancelled",
                (),
                (),
                None,
            )
            assert (await refused(teams.read(made.leader, made.team_id))).status == 404
            assert (await refused(teams.join(member, made.code))).code == "INVITE_INVALID"
            # Its name, repository and people are free.
            again = await teams.found(member, wanted("loose ends"))
            member = await caller(festival, member.principal)
            await teams.repository(member, again.team_id, url)
            late = m.set_repository(
                m.Submission(
                    event_id=EVENT,
                    team_id=made.team_id,
                    repo_url=url,
                    repository="github.com/other/one",
                    created_at=NOW,
                    updated_at=NOW,
                ),
                None,
            )
            with pytest.raises(TransactionCancelled):
                await festival.db.run(late)

    run(go())


def test_who_may_see_and_do_what(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            await event_made(festival, "elsewhere")
            made, other = await team_made(festival, size=2), await team_made(festival, size=1)
            teams, t = festival.teams, made.team_id

            async def seen(by: Caller) -> tuple[list[str], bool]:
                view = await teams.read(by, t)
                return [each.name for each in view.members], view.invite_code is not None

            names, has_code = await seen(made.members[1])
            assert has_code
            assert names[0].endswith(" Verma")
            assert await seen(await caller(festival, ORGANIZER)) == (names, True)
            assert await seen(await caller(festival, FINANCE)) == (["", ""], False)
            masked, has_code = await seen(await caller(festival, AUDITOR))
            assert not has_code
            assert all(each.startswith("Person ") for each in masked)

            for outsider in (other.leader, await caller(festival, person("passer-by"))):
                assert (await refused(teams.read(outsider, t))).code == "NOT_FOUND"
            there = await caller(festival, ORGANIZER, "elsewhere")
            for unknown in (t, "nonsense"):
                assert (await refused(teams.read(there, unknown))).code == "NOT_FOUND"

            p = made.members[1].participant_id or ""
            for by in (made.members[1], await caller(festival, FINANCE)):
                assert (await refused(teams.hand_over(by, t, p))).code == "FORBIDDEN"
            stranger = other.leader.participant_id or ""
            assert (await refused(teams.hand_over(made.leader, t, stranger))).status == 404
            organizer = await caller(festival, ORGANIZER)
            await teams.hand_over(organizer, t, p)
            # What organisers do to somebody's team is written down; what its people do is theirs.
            await teams.hand_over(made.members[1], t, made.leader.participant_id or "")
            told = [each for each in await audited(festival) if each[0].startswith("team.")]
            assert told == [("team.hand-over", f"event/{EVENT}/team/{t}")]

    run(go())


@pytest.mark.parametrize("address", ["not an address", "meera@elsewhere.test"])
def test_who_cannot_be_invited_is_told_before_anything_is_written(
    tablewright_backend: Backend, clock: ManualClock, address: str
) -> None:
    async def go() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival, allowed_domains=["people.test"])
            asha = await caller(festival, person("asha"))
            body = wanted(invite=["ravi@people.test", address])
            problem = await refused(festival.teams.register_team(asha, registration("asha"), body))
            assert problem.status == 422
            assert [each.field for each in problem.errors] == ["body.team.invite.1"]
            assert (await caller(festival, asha.principal)).participant_id is None
            assert not await festival.teams.name_taken(EVENT, body.name)

    run(go())


def test_a_team_needs_an_event_that_is_open(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival, registration_start=moment(NOW + timedelta(hours=1)))
            asha = await caller(festival, person("asha"))
            work = festival.teams.register_team(asha, registration("asha"), wanted())
            assert (await refused(work)).code == "REGISTRATION_CLOSED"

    run(go())
