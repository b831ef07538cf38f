"""What the OpenAPI document of pricekeeper says beyond its routes: subjects, and who may call.

Routes for clients check their token themselves, so that a warm check costs nothing; what the
document says of them is here.
"""

from __future__ import annotations

from typing import Any, Final

from tablewright.service.system import Reference

#: Where the system is mounted.
_BASE = "/pricekeeper"

_ABOUT = """\
Which model each app may still afford, and what every call has cost.

**Apps** log in at `/auth/token` with the id and the secret of their client, ask for a label
(`model-selection`), call the model behind it themselves, and report the tokens that it has used
(`costs`). A report counts once under its `request_id`, however often it is sent: after a timeout
or a 503, send it again as it was.

**Administrators** come with an API key, with an access token of the issuer, or with the session of
their browser. The roles are `admin`, `operator` (overrides, corrections) and `auditor` (reads).

Money is in whole millionths of a dollar (`_usd_micros`); days are those of the organisation's own
time zone. Errors are problem documents with a `code` that never changes; lists are paged by `limit`
and `cursor`. What is changed with PUT is named by its `ETag` in `If-Match`.
"""

_SUBJECTS: Final = {
    "auth": "Tokens for clients: issued for a secret, renewed, revoked.",
    "selection": "Which label an app may use now.",
    "costs": "Reports of what calls have used.",
    "reservations": "Spend that is promised to a call before it is made.",
    "aggregates": "What was spent, by label: days, weeks and months.",
    "export": "The ledger, or the totals of days, as CSV.",
    "organisations": "Organisations: their time zone, ordering and limits.",
    "apps": "The apps of an organisation, and what they have of their own.",
    "credentials": "The secrets of clients: rotated, fetched once, revoked.",
    "labels": "The names that apps know, and the models behind them.",
    "prices": "What models cost, and since when.",
    "override": "Closing and opening labels by hand, for the rest of a day.",
    "corrections": "What was reported wrongly, put right.",
    "alerts": "Shares of limits that were reached.",
    "audit": "Who did what.",
}

_SCHEMES: Final[dict[str, dict[str, object]]] = {
    "client": {
        "type": "oauth2",
        "description": "An access token of an organisation's client, or of an app's.",
        "flows": {
            "clientCredentials": {
                "tokenUrl": f"{_BASE}/auth/token",
                "refreshUrl": f"{_BASE}/auth/refresh",
                "scopes": {
                    "org": "The organisation and all of its apps.",
                    "app": "One app.",
                },
            }
        },
    },
    "basic": {
        "type": "http",
        "scheme": "basic",
        "description": "The id and the secret of a client; both may stand in the body instead.",
    },
}

REFERENCE: Final = Reference(about=_ABOUT, subjects=_SUBJECTS, schemes=_SCHEMES)

_PEOPLE: Final[list[dict[str, list[str]]]] = [{"bearer": []}, {"key": []}, {"session": []}]

#: ``openapi_extra`` of routes for the clients of an organisation, and of its apps.
CLIENTS: Final[dict[str, Any]] = {"security": [{"client": []}]}
#: Of routes for an organisation's own client only, and for roles.
ORG_READERS: Final[dict[str, Any]] = {"security": [{"client": ["org"]}, *_PEOPLE]}
#: Of routes for clients and for roles.
READERS: Final[dict[str, Any]] = {"security": [{"client": []}, *_PEOPLE]}
#: Of the route that takes a client's secret.
SECRET: Final[dict[str, Any]] = {"security": [{}, {"basic": []}]}
#: Of routes where what is sent is all that counts.
ANYBODY: Final[dict[str, Any]] = {"security": []}
