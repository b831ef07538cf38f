"""Who is asking, and what they may do.

================  =========================================================================
``auth``          the door of one system: who is asking, and whether they may
``identity``      what a process shares: who vouches for people, sessions of browsers
``principal``     somebody who has proved who they are; roles
``provider``      an OpenID Connect issuer: its keys, its tokens (``keyset``, ``claims``)
``sign_in``       signing in with a browser by the issuer: the authorization code flow
``local``         the local issuer with its demo users, on one's own machine only
``sessions``      the cookie, and the CSRF token that goes with it (``ended``, ``origins``)
``api_keys``      keys for programs
``streams``       short-lived tokens for streams of events
``routes``        what is mounted at ``/auth``
================  =========================================================================
"""

from __future__ import annotations

from tablewright.service.auth.auth import Auth
from tablewright.service.auth.identity import Identity, require_local_or_issuer
from tablewright.service.auth.local import DemoPerson, DemoUser
from tablewright.service.auth.principal import Kind, Principal, system_principal

__all__ = [
    "Auth",
    "DemoPerson",
    "DemoUser",
    "Identity",
    "Kind",
    "Principal",
    "require_local_or_issuer",
    "system_principal",
]
