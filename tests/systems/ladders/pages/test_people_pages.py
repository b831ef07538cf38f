"""What administrators have: people, all teams, the audit; and that nobody else has it."""

from __future__ import annotations

import pytest
from tests.console.reading import fields_of, shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.ladders.pages.support import (
    BASE,
    HOSTILE,
    Office,
    done,
    review_made,
    signed_in,
)

from tablewright.systems.ladders import model as m

USERS = f"{BASE}/admin/users"
ADMIN = (USERS, f"{BASE}/admin/teams", f"{BASE}/admin/ladders", f"{BASE}/admin/audit")


def user_of(office: Office, email: str) -> m.User:
    lock = office.do(office.company.db.require(m.email_lock(email)))
    return office.do(office.company.db.require(m.user(lock.owner_id)))


def invited(office: Office, ines: Browser, email: str, name: str) -> m.User:
    done(ines.post(USERS, {"email": email, "name": name}), USERS)
    shows(ines.get(USERS), f"{name} is invited")
    return user_of(office, email)


@pytest.mark.parametrize("path", [*ADMIN, f"{BASE}/admin/ladders/new"])
def test_only_administrators_come_in(
    ines: Browser, omar: Browser, visitor: Browser, path: str
) -> None:
    assert ines.get(path).status_code == 200
    assert omar.get(path).status_code == 403
    assert visitor.get(path, follow_redirects=False).status_code in (303, 401)


def test_the_navigation_goes_by_the_roles_of_the_company(ines: Browser, omar: Browser) -> None:
    for path in ADMIN:
        assert f'href="{path}"' in ines.get(f"{BASE}/teams").text
        assert f'href="{path}"' not in omar.get(f"{BASE}/teams").text


def test_somebody_is_invited_and_a_taken_address_is_told_at_its_field(
    office: Office, ines: Browser
) -> None:
    wrong = ines.post(USERS, {"email": "nobody", "name": ""})
    assert wrong.status_code == 422
    assert wrong_fields(wrong) == {"name"}
    form = {"email": "Noor@Example.org", "name": HOSTILE, "role.manager": "1"}
    done(ines.post(USERS, form), USERS)
    assert user_of(office, "noor@example.org").roles == {"manager"}
    page = ines.get(USERS)
    shows(page, HOSTILE, "noor@example.org", "Invited")
    assert "<img src=x" not in page.text
    again = ines.post(USERS, form)
    assert again.status_code == 409
    assert wrong_fields(again) == {"email"}


def test_people_are_listed_by_their_state(ines: Browser) -> None:
    page = ines.get(USERS, params={"state": "admin"})
    shows(page, "Ines Okafor")
    assert "Lina Moreau" not in text_of(page)


def test_name_and_roles_change_at_the_revision_that_was_shown(
    office: Office, ines: Browser
) -> None:
    user = invited(office, ines, "kim@example.org", "Kim")
    path = f"{USERS}/{user.user_id}"
    form = fields_of(ines.get(path), path)
    done(ines.post(path, {**form, "name": "Kim Lee", "role.manager": "1"}), path)
    assert user_of(office, "kim@example.org").roles == {"manager"}
    stale = ines.post(path, {**form, "name": "Somebody else"})
    assert stale.status_code == 412
    assert user_of(office, "kim@example.org").name == "Kim Lee"


def test_nobody_takes_their_own_roles(office: Office, ines: Browser) -> None:
    path = f"{USERS}/{office.people['ines']}"
    form = fields_of(ines.get(path), path)
    del form["role.admin"]
    assert ines.post(path, form).status_code == 409
    shows(ines.get(path), "Another administrator has to deactivate or erase you.")


def test_somebody_is_deactivated_and_comes_back(office: Office, ines: Browser) -> None:
    path = f"{USERS}/{invited(office, ines, 'sam@example.org', 'Sam').user_id}"
    done(ines.post(f"{path}/deactivate", {}), path)
    shows(ines.get(path), "Sam cannot sign in any more.", "Inactive")
    done(ines.post(f"{path}/reactivate", {}), path)
    shows(ines.get(path), "Sam is active again.")
    assert ines.post(f"{path}/promote", {}).status_code == 404


def test_who_manages_a_team_is_replaced_before_they_leave(office: Office, ines: Browser) -> None:
    office.team("judith", team_name="Judith's")
    path = f"{USERS}/{office.people['judith']}"
    shows(ines.get(path), "Give it another manager first.")
    done(ines.post(f"{path}/deactivate", {}), path)
    shows(ines.get(path), "This user manages a team. Give it another manager first.")


def test_erasing_takes_the_address_to_be_typed(office: Office, ines: Browser) -> None:
    user = invited(office, ines, "gone@example.org", "Somebody Gone")
    path = f"{USERS}/{user.user_id}"
    wrong = ines.post(f"{path}/erase", {"confirm": "other@example.org"})
    assert wrong.status_code == 422
    assert wrong_fields(wrong) == {"confirm"}
    done(ines.post(f"{path}/erase", {"confirm": "Gone@example.org"}), USERS)
    assert office.do(office.company.db.require(m.user(user.user_id))).email is None
    shows(ines.get(path), "This user was erased.")
    assert "Somebody Gone" not in ines.get(USERS).text


def test_the_audit_names_people_as_long_as_they_have_a_name(office: Office, ines: Browser) -> None:
    user = invited(office, ines, "lee@example.org", "Lee Park")
    audit = f"{BASE}/admin/audit"
    page = ines.get(audit, params={"action": "user.invite"})
    shows(page, "User invited Lee Park")
    assert f'href="{USERS}/{user.user_id}"' in page.text
    assert "lee@example.org" not in page.text
    nothing = ines.get(audit, params={"day": "2020-01-01"})
    shows(nothing, "Nothing was done")
    assert ines.get(audit, params={"day": "x", "action": "<b>", "actor": "me"}).status_code == 200


def test_the_audit_calls_things_by_their_names(office: Office, ines: Browser) -> None:
    review = review_made(office, "judith", "nora", season="2025-Q3")
    review.reported("nora", "judith")
    audit, mail = f"{BASE}/admin/audit", "judith@example.org"
    page = ines.get(audit, params={"actor": mail})
    shows(page, "Manager’s assessment of Nora Haddad", "Report of Nora Haddad")
    shows(page, f"Plan: {review.plan.plan_name} · 2025-Q3")
    assert "Self-assessment of Nora Haddad" not in text_of(page)
    shows(ines.get(audit, params={"actor": "nobody@example.org"}), "Nothing was done")


def test_a_page_that_is_refused_has_the_same_navigation(ines: Browser) -> None:
    page = ines.get(f"{BASE}/teams/nothing")
    assert page.status_code == 404
    shows(page, "Go to Ladders")
    assert f'href="{BASE}/admin/audit"' in page.text


def test_an_administrator_makes_a_team_for_a_manager(office: Office, ines: Browser) -> None:
    path = f"{BASE}/admin/teams"
    shows(ines.get(path), "New team", "Omar Lindqvist (omar@example.org)")
    wrong = ines.post(path, {"team_name": "x"})
    assert wrong_fields(wrong) == {"team_name"}
    member = ines.post(path, {"team_name": "Led", "manager_id": office.people["lina"]})
    assert member.status_code == 409
    answer = ines.post(path, {"team_name": HOSTILE, "manager_id": office.people["omar"]})
    shows(ines.get(done(answer).headers["location"]), HOSTILE, "Managed by Omar Lindqvist")
    assert "<img src=x" not in ines.get(path).text


def test_a_foreign_person_is_not_there(office: Office) -> None:
    with signed_in(office, "lina") as lina:
        assert lina.get(f"{USERS}/{office.people['omar']}").status_code == 404
        assert lina.post(f"{USERS}/{office.people['omar']}/deactivate", {}).status_code == 404


# --- searching -----------------------------------------------------------------------------------


def test_search_of_people_is_kept_by_show(ines: Browser) -> None:
    page = ines.get(f"{USERS}?q=LINA&state=")
    shows(page, "Lina Moreau", "1 person")
    assert "Omar Lindqvist" not in text_of(page)
    assert 'name="q" value="LINA"' in page.text
    both = ines.get(f"{USERS}?q=lindqvist&state=manager")
    shows(both, "Omar Lindqvist")
    assert 'name="q" value="lindqvist"' in both.text
    shows(ines.get(f"{USERS}?q=nobody-has-this-name"), "Nobody fits")


def test_search_of_people_ignores_accents_and_finds_addresses(
    office: Office, ines: Browser
) -> None:
    invited(office, ines, "zoe.mueller@example.org", "Zoë Müller")
    for text in ("zoe muller", "MÜLLER", "mueller@example"):
        shows(ines.get(USERS, params={"q": text}), "Zoë Müller")


def test_list_of_people_is_cut_into_pages(office: Office, ines: Browser) -> None:
    company, admin = office.company, office.caller("ines")

    async def many() -> None:
        for number in range(60):
            await company.people.create(admin, f"page{number}@example.org", f"Page {number:02}")

    office.do(many())
    first = ines.get(f"{USERS}?q=page")
    shows(first, "60 people", "Page 00", "Page 49", "Show more")
    assert "Page 50" not in text_of(first)
    second = ines.get(f"{USERS}?q=page&page=2")
    shows(second, "Page 50", "Page 59")
    assert "Show more" not in text_of(second)


def test_all_teams_are_searched_by_team_and_manager(office: Office, ines: Browser) -> None:
    review = review_made(office, "judith", "nora")
    path = f"{BASE}/admin/teams"
    shows(ines.get(path, params={"q": review.team.team_name}), review.team.team_name, "1 team")
    shows(ines.get(path, params={"q": "varga"}), review.team.team_name)
    shows(ines.get(path, params={"q": "no such team"}), "No team found")


def test_board_is_searched_by_name(office: Office, omar: Browser) -> None:
    review = review_made(office, "omar", "lina", "mateo")
    board = f"{BASE}/plans/{review.plan.plan_id}/board"
    page = omar.get(f"{board}?q=mateo")
    shows(page, "Mateo Silva")
    assert "Lina Moreau" not in text_of(page)
    assert f"{board}/part?q=mateo" in page.text
    shows(omar.get(f"{board}?q=nobody"), "Nobody found")


def test_audit_links_lead_only_to_what_the_admin_may_open(office: Office, ines: Browser) -> None:
    review = review_made(office, "judith", "lina", "mateo")
    review.answer("lina", "lina", 3)
    review.answer("mateo", "mateo", 3)
    reopened = review.assessment_id("mateo")
    office.do(
        office.company.assessments.reopen(
            office.caller("judith"), reopened, "Something was forgotten."
        )
    )
    page = ines.get(f"{BASE}/admin/audit")
    assert f'href="{review.assessment("lina")}"' in page.text
    assert f'href="{review.assessment("mateo")}"' not in page.text
    assert ines.get(review.assessment("mateo")).status_code == 403
