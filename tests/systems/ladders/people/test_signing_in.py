"""Signing in: who a caller is, from the first time on."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any
from uuid import uuid4

from tests.systems.ladders.support import (
    OPERATOR,
    audited,
    code_in,
    company_on,
    person,
    run,
    user_made,
)

from tablewright.clock import ManualClock
from tablewright.service.preconditions import Precondition
from tablewright.systems.ladders import ids
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.service.company import Company
from tablewright.systems.ladders.service.people.users import UserChange
from tablewright.testing.backends import Backend

OURS: dict[str, Any] = {"email_domains": "people.test"}


async def everybody(company: Company) -> list[m.User]:
    return [each async for each in company.db.iterate(m.all_users())]


def test_scenario_07_one_user_of_fifty_sign_ins(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """50 concurrent first sign-ins, one e-mail: one user; unverified 403."""

    async def story() -> None:
        async with company_on(tablewright_backend, clock, **OURS) as company:
            lina = person("lina")
            found = await asyncio.gather(*(company.people.caller(lina) for _ in range(50)))
            users = await everybody(company)
            assert [each.email for each in users] == ["lina@people.test"]
            assert {each.user_id for each in found} == {users[0].user_id}
            assert users[0].subject_hashes == {ids.subject_hash("local", lina.id)}
            assert await audited(company) == [("user.provision", f"user/{users[0].user_id}")]
            nora = person("nora", verified=False)
            assert await code_in(company.people.caller(nora)) == (403, "EMAIL_UNVERIFIED")
            assert await everybody(company) == users

    run(story())


def test_scenario_07_one_user_of_one_address_under_several_names(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """50 concurrent first sign-ins, one e-mail: one user; unverified 403."""

    async def story() -> None:
        async with company_on(engine_backend, clock, **OURS) as company:
            lina = person("lina")
            subjects = [replace(lina, id=f"user:lina-{each % 5}") for each in range(50)]
            found = await asyncio.gather(*map(company.people.caller, subjects))
            (user,) = await everybody(company)
            assert {each.user_id for each in found} == {user.user_id}
            assert len(user.subject_hashes) == 5

    run(story())


def test_who_was_invited_is_that_user(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(tablewright_backend, clock) as company:
            admin = await company.people.caller(OPERATOR)
            invited = await company.people.create(admin, "Lina@People.test", "Lina", ["manager"])
            assert (invited.email, invited.subject_hashes) == ("lina@people.test", set())
            found = await asyncio.gather(*(company.people.caller(person("lina")) for _ in range(8)))
            assert {each.user_id for each in found} == {invited.user_id}
            assert found[0].user.roles == {"manager"}
            assert found[0].who() == {"reader", "leader"}

    run(story())


def test_who_is_not_invited_does_not_come_in(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock, **OURS) as company:
            who = person("eve", email="eve@people.test.example.org")
            assert await code_in(company.people.caller(who)) == (403, "NOT_INVITED")
            nobody = person("eve", email="")
            assert await code_in(company.people.caller(nobody)) == (403, "EMAIL_UNVERIFIED")
            program = replace(person("bot"), kind="client")
            assert await code_in(company.people.caller(program)) == (403, "FORBIDDEN")
            assert await everybody(company) == []

    run(story())


def test_a_subject_that_is_a_uuid_is_the_user(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock, **OURS) as company:
            subject = str(uuid4())
            by = await company.people.caller(replace(person("lina"), id=subject))
            assert by.user_id == subject
            other = await company.people.caller(person("nora"))
            assert other.user_id == ids.user_id("local", "user:nora")

    run(story())


def test_roles_are_read_with_every_request(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            ann, lina = await user_made(company, "ann", "admin"), await user_made(company, "lina")
            assert not lina.admin
            change = UserChange(roles=frozenset(("admin",)))
            said = Precondition.seen(lina.user.revision)
            await company.people.change(ann, lina.user_id, change, said)
            assert (await company.people.caller(lina.principal)).admin
            await company.people.deactivate(ann, lina.user_id)
            again = company.people.caller(lina.principal)
            assert await code_in(again) == (403, "USER_INACTIVE")
            tab = replace(lina.principal, id="user:another")
            assert await code_in(company.people.caller(tab)) == (403, "USER_INACTIVE")

    run(story())


def test_an_operator_is_an_admin_without_being_a_user(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            by = await company.people.caller(OPERATOR)
            again = await company.people.caller(OPERATOR)
            assert (by.admin, by.operator, by.user_id) == (True, True, again.user_id)
            assert await everybody(company) == []
            key = replace(OPERATOR, id="key:1", kind="key")
            assert (await company.people.caller(key)).user_id != by.user_id

    run(story())


def test_an_issuers_admin_who_was_deactivated_stays_out(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            ann = await user_made(company, "ann", "admin")
            olga = await user_made(company, "olga")
            granted = await company.people.caller(person("olga", "admin"))
            assert (granted.admin, granted.user_id) == (True, olga.user_id)
            await company.people.deactivate(ann, olga.user_id)
            work = company.people.caller(person("olga", "admin"))
            assert await code_in(work) == (403, "USER_INACTIVE")

    run(story())


def test_who_was_erased_comes_back_as_somebody_else(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock, **OURS) as company:
            admin = await company.people.caller(OPERATOR)
            before = await company.people.caller(person("lina"))
            await company.people.erase(admin, before.user_id)
            after = await company.people.caller(person("lina"))
            assert after.user_id != before.user_id
            assert (await company.people.read(admin, before.user_id)).email is None

    run(story())
