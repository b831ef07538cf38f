"""How often submissions may be handed in without an organiser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tablewright.service.auth.auth import address_of
from tablewright.service.limits import Rate, RatePolicy
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge.options import Options

if TYPE_CHECKING:
    from starlette.requests import Request

    from tablewright.service.limits import Headers
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Counted together for the API and the pages.
_BUCKET: Final = "public-submissions"


def public_policy(options: Options) -> RatePolicy:
    """Return the limits of handing in at a public hackathon.

    Whoever has signed in is limited alone. Without sign-in only the address is known: it can fill a
    few places of a hackathon at once, and not all of them.
    """
    most = options.public_submissions
    return RatePolicy(user=Rate(2, 20), address=Rate(60, 600), anonymous=Rate(most / 10, most))


async def check_public(courtroom: Courtroom, request: Request) -> Headers:
    """Count a submission of whoever sends it, or raise the problem 429.

    Whoever is not signed in, or not any more, is anonymous: nobody has to be known here.
    """
    try:
        principal = await courtroom.runtime.auth.principal(request)
    except Problem:
        principal = None
    return await courtroom.runtime.limits.check_caller(
        _BUCKET,
        public_policy(courtroom.options),
        user=None if principal is None else principal.id,
        address=address_of(request),
    )
