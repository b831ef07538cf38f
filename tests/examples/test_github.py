from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from examples.github import (
    Comment,
    Emoji,
    Gist,
    Issue,
    Membership,
    Organization,
    Pull,
    Repo,
    Star,
    User,
    account,
    add_member,
    change_plan,
    close_issue,
    comment,
    comments,
    create_gist,
    create_repo,
    fork,
    forks,
    found,
    gists,
    issue,
    issues,
    issues_by_status,
    members,
    merge_pull,
    model,
    open_issue,
    open_pull,
    organization,
    organizations_of_user,
    pull,
    pulls,
    pulls_by_status,
    pushed,
    react_to_comment,
    react_to_issue,
    react_to_pull,
    repo,
    repos_of_account,
    sign_up,
    star,
    stargazers,
    starred_by,
    take_number,
    unstar,
    user,
)
from tests.examples.coverage import never_called

from tablewright.client import Db
from tablewright.model.errors import AlreadyExists, ConditionFailed, TransactionCancelled

NOW = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture
def db(tablewright_db: Db) -> Db:
    db = tablewright_db
    db.create_tables(model)
    for name in ("ada", "bo"):
        db.run(sign_up(User(name=name)))
    db.run(found(Organization(name="acme")))
    db.run(create_repo(Repo(owner="acme", name="anvil", changed_at=NOW)))
    return db


def anvil(db: Db) -> Repo:
    stored = db.run(repo("acme", "anvil"))
    assert stored is not None
    return stored


def new_issue(db: Db) -> Issue:
    number = db.run(take_number("acme", "anvil")).last_number
    new = Issue(owner="acme", name="anvil", number=number, author="ada", title=f"issue {number}")
    return db.run(open_issue(new))


def new_pull(db: Db) -> Pull:
    number = db.run(take_number("acme", "anvil")).last_number
    new = Pull(owner="acme", name="anvil", number=number, author="bo", title=f"pull {number}")
    return db.run(open_pull(new))


def test_every_pattern_is_run() -> None:
    assert never_called(model, __file__) == []


# --- accounts ------------------------------------------------------------------------------------


def test_users_and_organizations_share_their_names(db: Db) -> None:
    with pytest.raises(AlreadyExists):
        db.run(found(Organization(name="ada")))
    with pytest.raises(AlreadyExists):
        db.run(sign_up(User(name="acme")))
    assert db.run(user("ada")) == User(name="ada")
    assert db.run(organization("acme")) == Organization(name="acme")
    assert list(db.run(account("ada"))) == [User(name="ada")]
    assert list(db.run(account("acme"))) == [Organization(name="acme")]


def test_plans(db: Db) -> None:
    assert db.run(change_plan("ada", "pro")).plan == "pro"


def test_members(db: Db) -> None:
    owner = Membership(organization="acme", user="ada", role="owner")
    member = Membership(organization="acme", user="bo")
    db.run(add_member(owner))
    db.run(add_member(member))
    assert list(db.run(members("acme"))) == [owner, member]
    assert list(db.run(organizations_of_user("bo"))) == [member]
    for refused in (
        owner,
        Membership(organization="acme", user="nobody"),
        Membership(organization="nowhere", user="ada"),
    ):
        with pytest.raises(TransactionCancelled):
            db.run(add_member(refused))


def test_gists(db: Db) -> None:
    written = [db.run(create_gist(Gist(owner="ada", title=str(n)))) for n in range(3)]
    assert list(db.run(gists("ada"))) == written[::-1]


# --- repositories --------------------------------------------------------------------------------


def test_repos_of_an_account_by_their_last_change(db: Db) -> None:
    later = NOW + timedelta(hours=1)
    db.run(create_repo(Repo(owner="acme", name="rocket", changed_at=later)))
    db.run(create_repo(Repo(owner="ada", name="anvil", changed_at=later)))
    assert [each.name for each in db.run(repos_of_account("acme"))] == ["rocket", "anvil"]
    db.run(pushed(anvil(db), later + timedelta(hours=1)))
    assert [each.name for each in db.run(repos_of_account("acme"))] == ["anvil", "rocket"]
    with pytest.raises(AlreadyExists):
        db.run(create_repo(Repo(owner="ada", name="anvil", changed_at=later)))


def test_forks(db: Db) -> None:
    for owner in ("bo", "ada"):
        db.run(fork(anvil(db), owner, NOW))
    assert [each.owner for each in db.run(forks("acme", "anvil"))] == ["ada", "bo"]
    assert anvil(db).forks == 2
    with pytest.raises(TransactionCancelled):
        db.run(fork(anvil(db), "ada", NOW))
    assert anvil(db).forks == 2


def test_stars(db: Db) -> None:
    stars = [Star(owner="acme", name="anvil", user=name, starred_at=NOW) for name in ("ada", "bo")]
    for each in stars:
        db.run(star(each))
    assert list(db.run(stargazers("acme", "anvil"))) == stars
    assert list(db.run(starred_by("ada"))) == stars[:1]
    with pytest.raises(TransactionCancelled):
        db.run(star(stars[0]))
    assert anvil(db).stars == 2
    db.run(unstar("acme", "anvil", "ada"))
    with pytest.raises(TransactionCancelled):
        db.run(unstar("acme", "anvil", "ada"))
    assert anvil(db).stars == 1
    assert list(db.run(starred_by("ada"))) == []


# --- issues and pull requests --------------------------------------------------------------------


def test_issues_and_pulls_share_their_numbers(db: Db) -> None:
    first, second, third = new_issue(db), new_pull(db), new_issue(db)
    assert [first.number, second.number, third.number] == [1, 2, 3]
    assert db.run(issue("acme", "anvil", 1)) == first
    assert db.run(pull("acme", "anvil", 2)) == second
    assert db.run(issue("acme", "anvil", 2)) is None
    assert list(db.run(issues("acme", "anvil"))) == [third, first]
    assert list(db.run(pulls("acme", "anvil"))) == [second]


def test_lists_by_status(db: Db) -> None:
    opened = [new_issue(db) for _ in range(12)]
    closed = db.run(close_issue("acme", "anvil", 9))
    left = [each for each in opened if each.number != 9]
    assert list(db.run(issues_by_status("acme", "anvil", "open"))) == left[::-1]
    assert list(db.run(issues_by_status("acme", "anvil", "closed"))) == [closed]
    with pytest.raises(ConditionFailed):
        db.run(close_issue("acme", "anvil", 9))


def test_merging(db: Db) -> None:
    opened = new_pull(db)
    assert list(db.run(pulls_by_status("acme", "anvil", "open"))) == [opened]
    merged = db.run(merge_pull("acme", "anvil", opened.number))
    assert list(db.run(pulls_by_status("acme", "anvil", "merged"))) == [merged]
    with pytest.raises(ConditionFailed):
        db.run(merge_pull("acme", "anvil", opened.number))


# --- comments and reactions ----------------------------------------------------------------------


def said(text: str, number: int) -> Comment:
    return Comment(owner="acme", name="anvil", number=number, author="bo", text=text)


def test_a_thread(db: Db) -> None:
    about, other = new_issue(db), new_pull(db)
    first = db.run(comment(said("first", about.number)))
    db.run(react_to_comment(first, "ada", Emoji.HEART))
    second = db.run(comment(said("second", about.number)))
    db.run(comment(said("elsewhere", other.number)))
    thread = db.run(comments("acme", "anvil", about.number))
    assert [each.text for each in thread] == ["first", "second"]
    assert thread[0].reactions[Emoji.HEART] == 1
    assert thread[1] == second


def test_reactions(db: Db) -> None:
    about = new_issue(db)
    db.run(react_to_issue(about, "ada", Emoji.THUMBS_UP))
    db.run(react_to_issue(about, "ada", Emoji.ROCKET))
    db.run(react_to_issue(about, "bo", Emoji.ROCKET))
    with pytest.raises(TransactionCancelled):
        db.run(react_to_issue(about, "bo", Emoji.ROCKET))
    stored = db.run(issue("acme", "anvil", about.number))
    assert stored is not None
    assert {emoji: n for emoji, n in stored.reactions.items() if n} == {
        Emoji.THUMBS_UP: 1,
        Emoji.ROCKET: 2,
    }


def test_reactions_to_a_pull(db: Db) -> None:
    about = new_pull(db)
    db.run(react_to_pull(about, "ada", Emoji.THUMBS_DOWN))
    stored = db.run(pull("acme", "anvil", about.number))
    assert stored is not None
    assert stored.reactions[Emoji.THUMBS_DOWN] == 1
