"""``iam`` and ``cost``: what the components may do in an account, and what a month costs there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tablewright.service.commands import Answer, Deployment, Needs, needs
from tablewright.service.problems import FieldError, invalid, missing

_ACCOUNT_DIGITS = 12


@needs(Needs.NOWHERE)
async def iam(
    deployment: Deployment,
    /,
    component: str | None = None,
    *,
    account: str = "0" * _ACCOUNT_DIGITS,
) -> Answer:
    """Print a policy of least privilege for each component, or for one, ready for the AWS CLI.

    They follow from the patterns that a component runs: its actions, and the keys and indexes that
    it needs. --region (us-east-1 without it), --prefix and --env say which tables are meant.

    Parameters
    ----------
    component
        ingest, analysis, dashboard, editor and so on; else all of them.
    account
        The AWS account of the tables.
    """
    if not (account.isascii() and account.isdigit() and len(account) == _ACCOUNT_DIGITS):
        raise invalid(FieldError("--account", f"{account!r} is not the number of an AWS account"))
    made = _policies(deployment, account)
    if component is None:
        return Answer([_text(made)], made)
    if component not in made:
        detail = f"There is no component {component!r}."
        hint = f"There are: {', '.join(made)}."
        raise missing(detail, hint)
    return Answer([_text(made[component])], made[component])


def _policies(deployment: Deployment, account: str) -> dict[str, dict[str, Any]]:
    from tablewright.deploy.naming import Naming
    from tablewright.deploy.templates.iam import Account, policies
    from tablewright.service.kit import demo as kit_demo
    from tablewright.service.kit import kit, kit_model
    from tablewright.systems.sentiment.access import access
    from tablewright.systems.sentiment.demo import demo
    from tablewright.systems.sentiment.model import model

    before = Naming(deployment.prefix, deployment.env)("x").removesuffix("x")
    # Each system has a kit table of its own.
    own = {kit.name: f"{model.name}-{kit.name}"}
    where = Account(deployment.region, account, before, own=own)
    calls = {**demo().calls, **kit_demo().calls}
    return policies(model.joined(kit_model), where, calls, access())


def _text(document: object) -> str:
    return json.dumps(document, indent=2)


@needs(Needs.NOWHERE)
async def cost(deployment: Deployment, /, *, prices: Path | None = None) -> Answer:
    """Say what a month costs: the document's figures, its design done right, and ours.

    --region says whose prices count, else those of us-east-1. `tablewright plan sentiment` also has
    units and hot keys.

    Parameters
    ----------
    prices
        A price file of your own.
    """
    from tablewright.plan import costs as bills
    from tablewright.plan.pricing import PriceError, load_prices
    from tablewright.systems.sentiment.costs import costs

    try:
        known = load_prices(deployment.region, prices)
    except PriceError as error:
        raise invalid(
            FieldError("--region" if prices is None else "--prices", str(error))
        ) from None
    found = costs()
    return Answer(bills.text_of(found, known).splitlines(), bills.data_of(found, known))
