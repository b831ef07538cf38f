"""Users: inviting, roles, deactivating."""

from __future__ import annotations

import asyncio
from uuid import uuid4

from tests.systems.ladders.support import (
    OPERATOR,
    again,
    audited,
    code_in,
    company_on,
    crew_made,
    run,
    team_made,
    user_made,
)

from tablewright.clock import ManualClock
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.service.problems import Problem
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.people import ERASED
from tablewright.systems.ladders.service.people.users import UserChange
from tablewright.testing.backends import Backend

ADMINS = UserChange(roles=frozenset(("admin",)))
NOBODY = UserChange(roles=frozenset())


def test_an_address_is_invited_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(tablewright_backend, clock) as company:
            ann = await user_made(company, "ann", "admin")
            asked = (company.people.create(ann, "lina@x.test", f"Lina {n}") for n in range(10))
            made = await asyncio.gather(*asked, return_exceptions=True)
            problems = [each for each in made if isinstance(each, Problem)]
            assert [each.code for each in problems] == ["EMAIL_TAKEN"] * 9
            (user,) = [each for each in made if isinstance(each, m.User)]
            assert (user.created_by, user.revision) == (ann.user_id, 1)

    run(story())


def test_only_admins_have_to_do_with_users(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            max_, lina = await user_made(company, "max", "manager"), await user_made(company)
            people, unseen = company.people, Precondition.seen(1)
            assert await code_in(people.list(max_)) == (403, "FORBIDDEN")
            assert await code_in(people.create(max_, "a@b.test", "A")) == (403, "FORBIDDEN")
            for user_id in (lina.user_id, str(uuid4()), "EMAIL#lina@people.test"):
                assert await code_in(people.read(max_, user_id)) == (404, "NOT_FOUND")
                change = people.change(max_, user_id, ADMINS, unseen)
                assert await code_in(change) == (404, "NOT_FOUND")
                assert await code_in(people.erase(max_, user_id)) == (404, "NOT_FOUND")
            ann = await user_made(company, "ann", "admin")
            assert await code_in(people.read(ann, "EMAIL#lina@people.test")) == (404, "NOT_FOUND")

    run(story())


def test_roles_change_from_what_was_seen(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            ann, lina = await user_made(company, "ann", "admin"), await user_made(company)
            change, seen = company.people.change, lina.user.revision
            unsaid = change(ann, lina.user_id, ADMINS, UNSAID)
            assert await code_in(unsaid) == (428, "PRECONDITION_REQUIRED")
            both = UserChange("Lina Moreau", frozenset(("manager",)))
            user = await change(ann, lina.user_id, both, Precondition.seen(seen))
            assert (user.name, user.roles, user.revision) == ("Lina Moreau", {"manager"}, seen + 1)
            old = change(ann, lina.user_id, NOBODY, Precondition.seen(seen))
            assert await code_in(old) == (412, "REVISION_CONFLICT")
            none = await change(ann, lina.user_id, NOBODY, Precondition.seen(seen + 1))
            assert none.roles == set()
            clock.advance(1)
            same = await change(ann, lina.user_id, NOBODY, Precondition.seen(seen + 2))
            assert same == none

    run(story())


def test_nobody_changes_their_own_place(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            ann, people = await user_made(company, "ann", "admin"), company.people
            seen = Precondition.seen(ann.user.revision)
            own = people.change(ann, ann.user_id, NOBODY, seen)
            assert await code_in(own) == (409, "SELF_ACTION")
            assert await code_in(people.deactivate(ann, ann.user_id)) == (409, "SELF_ACTION")
            assert await code_in(people.erase(ann, ann.user_id)) == (409, "SELF_ACTION")
            named = await people.change(ann, ann.user_id, UserChange("Ann"), seen)
            assert named.name == "Ann"

    run(story())


def test_of_two_admins_who_end_each_other_one_stays(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(tablewright_backend, clock) as company:
            for number in range(4):
                ann = await user_made(company, f"ann-{number}", "admin")
                bob = await user_made(company, f"bob-{number}", "admin")
                ended = await asyncio.gather(
                    company.people.deactivate(ann, bob.user_id),
                    company.people.deactivate(bob, ann.user_id),
                    return_exceptions=True,
                )
                codes = [each.code for each in ended if isinstance(each, Problem)]
                assert codes in (["FORBIDDEN"], ["CONFLICT"])

    run(story())


def test_a_manager_is_replaced_before_they_go(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            ann, crew = await user_made(company, "ann", "admin"), await crew_made(company)
            people, max_ = company.people, crew.manager
            seen = Precondition.seen(max_.user.revision)
            for work in (
                people.change(ann, max_.user_id, NOBODY, seen),
                people.deactivate(ann, max_.user_id),
                people.erase(ann, max_.user_id),
            ):
                assert await code_in(work) == (409, "USER_IS_MANAGER")
            await company.teams.assign_manager(ann, crew.team_id, None)
            assert not (await people.deactivate(ann, max_.user_id)).is_active

    run(story())


def test_who_is_deactivated_leaves_all_teams(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(tablewright_backend, clock) as company:
            ann, lina = await user_made(company, "ann", "admin"), await user_made(company)
            teams = [await team_made(company, None, lina) for _ in range(3)]
            gone = await company.people.deactivate(ann, lina.user_id)
            assert (gone.is_active, gone.team_ids) == (False, set())
            for each in teams:
                assert (await company.db.require(m.team(each.team_id))).member_ids == set()
            assert await company.people.deactivate(ann, lina.user_id) == gone
            back = await company.people.reactivate(ann, lina.user_id)
            assert (back.is_active, back.team_ids) == (True, set())
            assert await company.people.reactivate(ann, lina.user_id) == back
            ends = [action for action, _ in await audited(company) if "activate" in action]
            assert sorted(ends) == ["user.deactivate", "user.reactivate"]

    run(story())


def test_an_address_is_given_a_role(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            by, lina = await company.people.caller(OPERATOR), await user_made(company, "lina")
            await company.people.grant(by, "Lina@people.test", "admin")
            assert (await again(company, lina)).user.roles == {"admin"}
            new = await company.people.grant(by, "nora@x.test", "admin")
            assert (new.email, new.name, new.roles) == ("nora@x.test", "nora", {"admin"})

    run(story())


def test_all_users_are_listed_without_their_locks(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            made = {(await user_made(company)).user_id for _ in range(7)}
            by, found, cursor = await company.people.caller(OPERATOR), [], None
            while True:
                page = await company.people.list(by, limit=2, cursor=cursor)
                found += [each.user_id for each in page]
                if (cursor := page.cursor) is None:
                    break
            assert (len(found), set(found)) == (7, made)

    run(story())


def test_an_erased_user_stays_erased(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            ann, lina = await user_made(company, "ann", "admin"), await user_made(company, "lina")
            gone = await company.people.erase(ann, lina.user_id)
            assert (gone.name, gone.email, gone.is_active) == (ERASED, None, False)
            assert gone.subject_hashes == gone.roles == set()
            assert await company.db.run(m.email_lock("lina@people.test")) is None
            back = company.people.reactivate(ann, lina.user_id)
            assert await code_in(back) == (409, "USER_ERASED")
            seen = Precondition.seen(gone.revision)
            change = company.people.change(ann, lina.user_id, ADMINS, seen)
            assert await code_in(change) == (409, "USER_ERASED")
            assert await company.people.erase(ann, lina.user_id) == gone
            told = [each for each in await audited(company) if each[0] == "user.erase"]
            assert told == [("user.erase", f"user/{lina.user_id}")]

    run(story())
