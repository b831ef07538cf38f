"""How a client proves itself, and what guessing costs.

Failures count, ten a minute for each address and client; then 429. A secret of ours has 256 bits,
so trying it costs nothing and reveals nothing, and its owner gets in even while somebody behind the
same address is guessing. A bcrypt hash that came from elsewhere may hide a short secret, and costs
a quarter of a second each time: there nothing is tried any more until the minute is over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.limits import Rate
from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.config import Credential
from tablewright.systems.pricekeeper.options import Options
from tablewright.systems.pricekeeper.rules.ids import read_client_id
from tablewright.systems.pricekeeper.rules.secrets import is_slow

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper


def invalid_client() -> Problem:
    """Whether the client or the secret was wrong is for nobody to know."""
    return Problem(
        401,
        "INVALID_CLIENT",
        "There is no such client, or this is not its secret.",
        headers={"WWW-Authenticate": 'Basic realm="pricekeeper"'},
    )


async def proven(keeper: Keeper, client_id: str, secret: str, address: str) -> Credential:
    """The credential of a client that knows its secret, or a problem."""
    credential = await _credential(keeper, client_id)
    options = keeper.runtime.options(Options)
    rate = Rate(per_minute=options.login_failures_per_minute)
    try:
        async with keeper.runtime.limits.attempt("logins", f"{address} {client_id}", rate) as tried:
            if await keeper.credentials.knows(credential, secret, keeper.now()):
                return credential
            tried.failed()
            raise invalid_client()
    except Problem as problem:
        if problem.status != 429 or is_slow(credential):
            raise
        if not await keeper.credentials.knows(credential, secret, keeper.now()):
            raise
        return credential


async def _credential(keeper: Keeper, client_id: str) -> Credential:
    """What to compare with; of a client that does not exist, something that nothing matches."""
    client = read_client_id(client_id)
    found = None if client is None else await keeper.credentials.of(*client)
    return keeper.credentials.nobody if found is None else found
