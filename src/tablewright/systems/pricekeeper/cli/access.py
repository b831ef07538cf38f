"""``rotate`` and ``secret``: new secrets of clients, and how they reach their owner."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from tablewright.service.commands import Answer, Desk
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.service.typed import checked, facts, moment
from tablewright.systems.pricekeeper.cli.finding import org_id_of
from tablewright.systems.pricekeeper.cli.given import Keeper


def check_keys(keeper: Keeper) -> None:
    """A problem if what a secret is hashed with would be gone with this command."""
    from tablewright.systems.pricekeeper.service.credentials import PEPPER

    check_lasting(keeper, PEPPER)


def check_lasting(keeper: Keeper, name: str) -> None:
    """A problem unless the keys of that name outlive this command."""
    if not keeper.runtime.keys.lasts(name):
        variable = f"TABLEWRIGHT_KEY_{name.upper().replace('-', '_')}"
        detail = "Nobody could check this secret: the keys of this place are not known here."
        hint = f"Give --data DIR, where they are, or {variable}, as to the service itself."
        raise Problem(409, "KEYS_UNKNOWN", detail, extra={"hint": hint})


async def rotate(
    keeper: Keeper,
    desk: Desk,
    /,
    org: str,
    app: str | None = None,
    *,
    grace_hours: int = 24,
    force: bool = False,
) -> Answer:
    """Give a client a new secret; the old one stays good for the hours of grace.

    Parameters
    ----------
    org
        The id or the name of the organisation.
    app
        The id of the app; else the organisation's own client is meant.
    grace_hours
        How long the old secret stays good: 0 to 168. With 0 its tokens end at once, too.
    force
        Rotate although the grace of an earlier rotation lasts; the oldest secret ends now.
    """
    from tablewright.systems.pricekeeper.bodies import RotateIn, RotateOut

    check_keys(keeper)
    wish = checked(RotateIn, {"grace_hours": grace_hours, "force": force})
    org_id = await org_id_of(keeper, org)
    try:
        done = await keeper.credentials.rotate(
            org_id, _checked(app), desk.by, grace_hours=wish.grace_hours, force=wish.force
        )
    except Problem as problem:
        if problem.code == "ROTATION_IN_GRACE":
            problem.extra["hint"] = "Repeat it with --force."
        raise
    told = RotateOut(
        client_id=done.client_id,
        cred_version=done.cred_version,
        retrieval_token=done.token,
        retrieval_expires_at=done.retrieval_expires_at,
        grace_expires_at=done.grace_until,
    )
    old = "has ended" if done.grace_until is None else f"is good until {moment(done.grace_until)}"
    until = moment(done.retrieval_expires_at)
    lines = [
        f"Rotated the secret of {done.client_id}; the old one {old}.",
        *facts([("retrieval token", done.token)]),
        f"Fetch the new one until {until}, once: tablewright pricekeeper secret {done.token}",
    ]
    return Answer(lines, told.model_dump(mode="json"))


def _checked(app_id: str | None) -> str | None:
    from tablewright.systems.pricekeeper.rules.ids import checked_app_id

    return None if app_id is None else checked_app_id(app_id)


async def secret(
    keeper: Keeper, desk: Desk, /, token: Annotated[str, Parameter(allow_leading_hyphen=True)]
) -> Answer:
    """Fetch a new secret with its retrieval token. That works once, and within ten minutes.

    Parameters
    ----------
    token
        The retrieval token; - reads it from standard input, which leaves no trace in a history.
    """
    from tablewright.systems.pricekeeper.bodies import RedeemOut

    if token == "-":
        token = desk.stdin.readline(1000).decode(errors="replace").strip()
    if not token:
        raise invalid(FieldError("token", "is empty"))
    found = await keeper.credentials.redeem(token, desk.by)
    told = RedeemOut(client_id=found.client_id, client_secret=found.secret)
    lines = [
        *facts([("client", found.client_id), ("secret", found.secret)]),
        "It is not kept anywhere: write it down now.",
    ]
    return Answer(lines, told.model_dump(mode="json"))
