"""A code host: accounts, repositories, issues, pull requests, comments, reactions, stars, forks.

One table. A repository's partition holds the repository, its issues, pull requests and stars; an
account's partition holds the account, its members and gists; a thread's partition holds comments
and reactions. GSI1 asks from the other side (the organisations, repositories and stars of an
account) and sorts issues by status. GSI2 holds nothing but forks.

Access patterns:

======================  =======================================================================
accounts                ``sign_up``, ``found``: users and organisations share one space of names
                        ``user``, ``organization``, ``account``, ``change_plan``
members                 ``add_member``, ``members``, ``organizations_of_user``
repositories            ``create_repo``, ``repo``, ``repos_of_account``, ``pushed``
forks                   ``fork``, ``forks``: with their number
issues, pull requests   ``take_number``, then ``open_issue`` or ``open_pull``: one sequence
                        ``issue``, ``pull``, ``issues``, ``issues_by_status``, ``pulls``,
                        ``pulls_by_status``, ``close_issue``, ``merge_pull``
comments                ``comment``, ``comments``
reactions               ``react_to_issue``, ``react_to_pull``, ``react_to_comment``: each user once
                        per emoji, with their number
stars                   ``star``, ``unstar``, ``stargazers``, ``starred_by``: with their number
gists                   ``create_gist``, ``gists``
======================  =======================================================================
"""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Literal

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import (
    Check,
    Delete,
    Entity,
    Field,
    Index,
    IsoSeconds,
    Key,
    Model,
    Put,
    Table,
    Ulid,
    Update,
    attr,
    check,
    delete,
    get,
    new_ulid,
    put,
    query,
    transaction,
    update,
    write,
)
from tablewright.model.errors import AlreadyExists, TransactionCancelled

table = Table(
    "CodeHost",
    pk="PK",
    sk="SK",
    indexes=[
        Index("GSI1", pk="GSI1PK", sk="GSI1SK"),
        Index("GSI2", pk="GSI2PK", sk="GSI2SK"),
    ],
)

#: Of an issue or pull request within its repository; written with eight digits in keys.
Number = Annotated[int, Field(ge=1, le=99_999_999)]
Plan = Literal["free", "pro", "enterprise"]
IssueStatus = Literal["open", "closed"]
PullStatus = Literal["open", "merged", "closed"]


class Emoji(StrEnum):
    THUMBS_UP = "+1"
    THUMBS_DOWN = "-1"
    HEART = "heart"
    ROCKET = "rocket"


def no_reactions() -> dict[Emoji, int]:
    return dict.fromkeys(Emoji, 0)


# --- accounts ------------------------------------------------------------------------------------


class User(Entity, table=table, keys={"primary": Key("ACCOUNT#{name}", "ACCOUNT")}):
    name: str
    plan: Plan = "free"


class Organization(Entity, table=table, keys={"primary": Key("ACCOUNT#{name}", "ACCOUNT")}):
    name: str
    plan: Plan = "free"


class Membership(
    Entity,
    table=table,
    keys={
        "primary": Key("ACCOUNT#{organization}", "MEMBER#{user}"),
        "of_user": Key("ACCOUNT#{user}", "ORGANIZATION#{organization}", on="GSI1"),
    },
):
    organization: str
    user: str
    role: Literal["member", "owner"] = "member"


class Gist(Entity, table=table, keys={"primary": Key("ACCOUNT#{owner}", "GIST#{gist_id}")}):
    owner: str
    gist_id: Ulid = Field(default_factory=new_ulid)
    title: str


@write(component="accounts")
def sign_up(user: User) -> Put[User]:
    """A new user; nobody, be it a user or an organisation, has the name."""
    return put(user).new()


@write(component="accounts")
def found(organization: Organization) -> Put[Organization]:
    """A new organisation, with a name that nobody has."""
    return put(organization).new()


@get(User)
def user(name: str) -> None:
    """One user."""


@get(Organization)
def organization(name: str) -> None:
    """One organisation."""


@query(User, Organization)
def account(name: str) -> None:
    """Whoever has a name, be it a user or an organisation."""


@write(component="billing")
def change_plan(name: str, plan: Plan) -> Update[User]:
    """What a user pays for from now on."""
    return update(User, name).do(attr(User.plan).set(plan))


@transaction(component="accounts")
def add_member(
    membership: Membership,
) -> tuple[Check[Organization], Check[User], Put[Membership]]:
    """A user joins an organisation; both are there."""
    return (
        check(Organization, membership.organization),
        check(User, membership.user),
        put(membership).new(),
    )


@query(Membership)
def members(organization: str) -> None:
    """Who belongs to an organisation."""


@query(Membership, key="of_user")
def organizations_of_user(user: str) -> None:
    """Where a user belongs."""


@write(component="gists")
def create_gist(gist: Gist) -> Put[Gist]:
    """A new gist."""
    return put(gist).new()


@query(Gist, descending=True)
def gists(owner: str) -> None:
    """The gists of a user, the latest first."""


# --- repositories --------------------------------------------------------------------------------


class Repo(
    Entity,
    table=table,
    keys={
        "primary": Key("REPO#{owner}#{name}", "REPO"),
        "of_account": Key("ACCOUNT#{owner}", "REPO#{changed_at}#{name}", on="GSI1"),
        "forks": Key("REPO#{upstream_owner}#{upstream_name}", "FORK#{owner}#{name}", on="GSI2"),
    },
):
    owner: str
    name: str
    changed_at: IsoSeconds
    #: Both absent, and then in no list of forks, unless it is one.
    upstream_owner: str | None = None
    upstream_name: str | None = None
    #: The last number that an issue or pull request has taken.
    last_number: int = 0
    stars: int = 0
    forks: int = 0


class Star(
    Entity,
    table=table,
    keys={
        "primary": Key("REPO#{owner}#{name}", "STAR#{user}"),
        "of_user": Key("STARS#{user}", "{starred_at}#{owner}#{name}", on="GSI1"),
    },
):
    owner: str
    name: str
    user: str
    starred_at: IsoSeconds


@write(component="repos")
def create_repo(repo: Repo) -> Put[Repo]:
    """A new repository; its owner has none of that name."""
    return put(repo).new()


@get(Repo)
def repo(owner: str, name: str) -> None:
    """One repository, with the numbers of its stars and forks."""


@query(Repo, key="of_account", descending=True)
def repos_of_account(owner: str) -> None:
    """What a user or an organisation owns, the last changed first."""


@write(component="repos")
def pushed(repo: Repo, now: datetime) -> Update[Repo]:
    """The repository has changed and moves to the top of its owner's list."""
    return update(repo).do(attr(Repo.changed_at).set(now))


@transaction(component="repos")
def fork(upstream: Repo, owner: str, now: datetime) -> tuple[Put[Repo], Update[Repo]]:
    """A copy that belongs to somebody else, counted by the original."""
    copy = Repo(
        owner=owner,
        name=upstream.name,
        changed_at=now,
        upstream_owner=upstream.owner,
        upstream_name=upstream.name,
    )
    original = update(Repo, upstream.owner, upstream.name)
    return put(copy).new(), original.do(attr(Repo.forks).add(1))


@query(Repo, key="forks")
def forks(upstream_owner: str, upstream_name: str) -> None:
    """The forks of a repository."""


@transaction(component="stars")
def star(star: Star) -> tuple[Put[Star], Update[Repo]]:
    """A user likes a repository, once."""
    starred = update(Repo, star.owner, star.name)
    return put(star).new(), starred.do(attr(Repo.stars).add(1))


@transaction(component="stars")
def unstar(owner: str, name: str, user: str) -> tuple[Delete[Star], Update[Repo]]:
    """A user does not like a repository any more."""
    starred = update(Repo, owner, name)
    return delete(Star, owner, name, user).existing(), starred.do(attr(Repo.stars).add(-1))


@query(Star)
def stargazers(owner: str, name: str) -> None:
    """Who likes a repository."""


@query(Star, key="of_user", descending=True)
def starred_by(user: str) -> None:
    """What a user likes, the latest first."""


# --- issues and pull requests --------------------------------------------------------------------


class Issue(
    Entity,
    table=table,
    keys={
        "primary": Key("REPO#{owner}#{name}", "ISSUE#{number:08d}"),
        "by_status": Key("REPO#{owner}#{name}", "ISSUE#{status}#{number:08d}", on="GSI1"),
    },
):
    owner: str
    name: str
    number: Number
    author: str
    title: str
    status: IssueStatus = "open"
    reactions: dict[Emoji, int] = Field(default_factory=no_reactions)


class Pull(
    Entity,
    table=table,
    keys={
        "primary": Key("REPO#{owner}#{name}", "PULL#{number:08d}"),
        "by_status": Key("REPO#{owner}#{name}", "PULL#{status}#{number:08d}", on="GSI1"),
    },
):
    owner: str
    name: str
    number: Number
    author: str
    title: str
    status: PullStatus = "open"
    reactions: dict[Emoji, int] = Field(default_factory=no_reactions)


@write(component="issues")
def take_number(owner: str, name: str) -> Update[Repo]:
    """The next number of a repository: its ``last_number`` afterwards. Gaps do no harm."""
    return update(Repo, owner, name).do(attr(Repo.last_number).add(1))


@write(component="issues")
def open_issue(issue: Issue) -> Put[Issue]:
    """A new issue under a number that was taken for it."""
    return put(issue).new()


@write(component="pulls")
def open_pull(pull: Pull) -> Put[Pull]:
    """A new pull request under a number that was taken for it."""
    return put(pull).new()


@get(Issue)
def issue(owner: str, name: str, number: Number) -> None:
    """One issue."""


@get(Pull)
def pull(owner: str, name: str, number: Number) -> None:
    """One pull request."""


@query(Issue, descending=True, limit=25)
def issues(owner: str, name: str) -> None:
    """All issues of a repository, the latest first."""


@query(Issue, key="by_status", descending=True, limit=25)
def issues_by_status(owner: str, name: str, status: IssueStatus) -> None:
    """The open or the closed issues of a repository, the latest first."""


@query(Pull, descending=True, limit=25)
def pulls(owner: str, name: str) -> None:
    """All pull requests of a repository, the latest first."""


@query(Pull, key="by_status", descending=True, limit=25)
def pulls_by_status(owner: str, name: str, status: PullStatus) -> None:
    """The pull requests of a repository that are in one state, the latest first."""


@write(component="issues")
def close_issue(owner: str, name: str, number: Number) -> Update[Issue]:
    """Close an open issue."""
    closed = update(Issue, owner, name, number).do(attr(Issue.status).set("closed"))
    return closed.when(attr(Issue.status) == "open")


@write(component="pulls")
def merge_pull(owner: str, name: str, number: Number) -> Update[Pull]:
    """Merge an open pull request."""
    merged = update(Pull, owner, name, number).do(attr(Pull.status).set("merged"))
    return merged.when(attr(Pull.status) == "open")


# --- comments and reactions ----------------------------------------------------------------------


class Comment(
    Entity,
    table=table,
    keys={"primary": Key("THREAD#{owner}#{name}#{number:08d}", "COMMENT#{comment_id}")},
):
    """On an issue or a pull request: they share their numbers, so a number names one thread."""

    owner: str
    name: str
    number: Number
    comment_id: Ulid = Field(default_factory=new_ulid)
    author: str
    text: str
    reactions: dict[Emoji, int] = Field(default_factory=no_reactions)


class Reaction(
    Entity,
    table=table,
    keys={"primary": Key("THREAD#{owner}#{name}#{number:08d}", "REACTION#{target}#{user}#{emoji}")},
):
    owner: str
    name: str
    number: Number
    #: The id of a comment; "issue" or "pull" for what the thread is about.
    target: str
    user: str
    emoji: Emoji


@write(component="comments")
def comment(comment: Comment) -> Put[Comment]:
    """Say something about an issue or a pull request."""
    return put(comment).new()


@query(Comment)
def comments(owner: str, name: str, number: Number) -> None:
    """What was said, from the beginning."""


@transaction(component="reactions")
def react_to_issue(issue: Issue, user: str, emoji: Emoji) -> tuple[Put[Reaction], Update[Issue]]:
    """React to an issue, in each way once."""
    counted = update(Issue, issue.owner, issue.name, issue.number)
    return (
        put(_reaction(issue, "issue", user, emoji)).new(),
        counted.do(attr(Issue.reactions[emoji]).add(1)),
    )


@transaction(component="reactions")
def react_to_pull(pull: Pull, user: str, emoji: Emoji) -> tuple[Put[Reaction], Update[Pull]]:
    """React to a pull request, in each way once."""
    counted = update(Pull, pull.owner, pull.name, pull.number)
    return (
        put(_reaction(pull, "pull", user, emoji)).new(),
        counted.do(attr(Pull.reactions[emoji]).add(1)),
    )


@transaction(component="reactions")
def react_to_comment(
    comment: Comment, user: str, emoji: Emoji
) -> tuple[Put[Reaction], Update[Comment]]:
    """React to a comment, in each way once."""
    counted = update(Comment, comment.owner, comment.name, comment.number, comment.comment_id)
    return (
        put(_reaction(comment, comment.comment_id, user, emoji)).new(),
        counted.do(attr(Comment.reactions[emoji]).add(1)),
    )


def _reaction(to: Issue | Pull | Comment, target: str, user: str, emoji: Emoji) -> Reaction:
    return Reaction(
        owner=to.owner, name=to.name, number=to.number, target=target, user=user, emoji=emoji
    )


model = Model("code-host", __name__)


def main() -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(model)
        now = datetime(2026, 3, 2, 12, tzinfo=UTC)
        ada = db.run(sign_up(User(name="ada")))
        db.run(found(Organization(name="analytical")))
        try:
            db.run(found(Organization(name="ada")))
        except AlreadyExists:
            print("the name ada is taken")
        db.run(add_member(Membership(organization="analytical", user=ada.name, role="owner")))
        print("ada belongs to", *(m.organization for m in db.run(organizations_of_user("ada"))))

        engine_repo = db.run(create_repo(Repo(owner="analytical", name="engine", changed_at=now)))
        db.run(fork(engine_repo, "ada", now))
        db.run(star(Star(owner="analytical", name="engine", user="ada", starred_at=now)))
        try:
            db.run(star(Star(owner="analytical", name="engine", user="ada", starred_at=now)))
        except TransactionCancelled:
            print("ada has starred it before")

        for title in ("Cards jam", "Add a mill"):
            number = db.run(take_number("analytical", "engine")).last_number
            named = Issue(
                owner="analytical", name="engine", number=number, author="ada", title=title
            )
            db.run(open_issue(named))
        db.run(close_issue("analytical", "engine", 1))
        left = db.run(issues_by_status("analytical", "engine", "open"))
        print("open:", *(f"#{each.number} {each.title}" for each in left))
        db.run(react_to_issue(left[0], "ada", Emoji.ROCKET))

        seen = db.require(issue("analytical", "engine", 2))
        print("rockets:", seen.reactions[Emoji.ROCKET])
        counted = db.require(repo("analytical", "engine"))
        print("stars and forks:", (counted.stars, counted.forks))


if __name__ == "__main__":
    main()
