"""Demo data for the examples: items, and one call for each pattern."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

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
)

from examples import ecommerce, github
from tablewright.model.demo import Demo

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


def ulid(number: int) -> str:
    return f"01JCQ0000000000000000{number:05d}"


def shop() -> Demo:
    home = ecommerce.Address(street="12 Long Street", city="London", country="GB")
    ada = ecommerce.Customer(
        user_name="ada", email="ada@example.com", name="Ada", addresses={"home": home}
    )
    orders = [
        ecommerce.Order(
            user_name="ada",
            order_id=ulid(number),
            placed_at=NOON + timedelta(hours=number),
            ship_to=home,
            total=Decimal("19.90"),
        )
        for number in range(40)
    ]
    lines = [_line(order.order_id, number) for order in orders[:3] for number in (1, 2, 3)]
    new = orders[0].model_copy(update={"order_id": ulid(90)})
    bo = ecommerce.Customer(user_name="bo", email="bo@example.com", name="Bo")
    calls = {
        "register": ecommerce.register(bo),
        "customer": ecommerce.customer("ada"),
        "customer_with_email": ecommerce.customer_with_email("bo@example.com"),
        "customer_with_orders": ecommerce.customer_with_orders("ada"),
        "save_address": ecommerce.save_address("ada", "work", home),
        "remove_address": ecommerce.remove_address("ada", "home"),
        "place_order": ecommerce.place_order(new, [_line(new.order_id, 1), _line(new.order_id, 2)]),
        "orders_of_customer": ecommerce.orders_of_customer("ada", before=ulid(30)),
        "order_with_items": ecommerce.order_with_items(ulid(1)),
        "move_order": ecommerce.move_order(orders[1], "packed"),
        "orders_to_pack": ecommerce.orders_to_pack(),
    }
    return Demo((ada, *orders, *lines), calls)


def _line(order_id: str, position: int) -> ecommerce.OrderItem:
    return ecommerce.OrderItem(
        order_id=order_id,
        position=position,
        product="a product with a rather long name " * 40,
        price=Decimal("4.50"),
        quantity=2,
    )


def code_host() -> Demo:
    repo = Repo(owner="ada", name="engine", changed_at=NOON)
    acme = Organization(name="acme")
    issue = Issue(owner="ada", name="engine", number=1, author="bo", title="It stops")
    pull = Pull(owner="ada", name="engine", number=2, author="bo", title="It goes on")
    comment = Comment(
        owner="ada", name="engine", number=1, comment_id=ulid(1), author="ada", text="Why? " * 300
    )
    star = Star(owner="ada", name="engine", user="ada", starred_at=NOON)
    items = (User(name="ada"), acme, repo, issue, pull, comment)
    another = {"number": 3, "title": "Another"}
    second = Comment(
        owner="ada", name="engine", number=1, comment_id=ulid(2), author="bo", text="So."
    )
    calls = {
        "sign_up": github.sign_up(User(name="bo")),
        "found": github.found(Organization(name="initech")),
        "user": github.user("bo"),
        "organization": github.organization("acme"),
        "account": github.account("acme"),
        "change_plan": github.change_plan("bo", "enterprise"),
        "add_member": github.add_member(Membership(organization="acme", user="bo")),
        "members": github.members("acme"),
        "organizations_of_user": github.organizations_of_user("bo"),
        "create_gist": github.create_gist(Gist(owner="bo", gist_id=ulid(5), title="A gist")),
        "gists": github.gists("bo"),
        "create_repo": github.create_repo(Repo(owner="bo", name="notes", changed_at=NOON)),
        "repo": github.repo("bo", "notes"),
        "repos_of_account": github.repos_of_account("ada"),
        "pushed": github.pushed(repo, NOON + timedelta(days=1)),
        "fork": github.fork(repo, "bo", NOON),
        "forks": github.forks("ada", "engine"),
        "star": github.star(star.model_copy(update={"user": "bo"})),
        "stargazers": github.stargazers("ada", "engine"),
        "starred_by": github.starred_by("bo"),
        "unstar": github.unstar("ada", "engine", "bo"),
        "take_number": github.take_number("ada", "engine"),
        "open_issue": github.open_issue(issue.model_copy(update=another)),
        "open_pull": github.open_pull(pull.model_copy(update=another)),
        "issue": github.issue("ada", "engine", 1),
        "pull": github.pull("ada", "engine", 2),
        "issues": github.issues("ada", "engine"),
        "issues_by_status": github.issues_by_status("ada", "engine", "open"),
        "pulls": github.pulls("ada", "engine"),
        "pulls_by_status": github.pulls_by_status("ada", "engine", "open"),
        "close_issue": github.close_issue("ada", "engine", 1),
        "merge_pull": github.merge_pull("ada", "engine", 2),
        "comment": github.comment(second),
        "comments": github.comments("ada", "engine", 1),
        "react_to_issue": github.react_to_issue(issue, "bo", Emoji.HEART),
        "react_to_pull": github.react_to_pull(pull, "bo", Emoji.HEART),
        "react_to_comment": github.react_to_comment(comment, "bo", Emoji.ROCKET),
    }
    return Demo(items, calls)
