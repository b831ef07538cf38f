"""Who is asking.

A token or a key names roles as grants, ``pricekeeper:admin`` or ``*:admin`` for every system. Each
system sees its own roles only, without its name before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["user", "key", "client", "system"]

#: What the ids of API keys and of the systems themselves begin with.
_OWN_PREFIXES = ("key:", "system:")
#: ``<system>:<role>``
_GRANT = re.compile(r"(\*|[a-z][a-z0-9-]{0,40}):[a-z][a-z0-9_-]{0,40}\Z")


@dataclass(frozen=True)
class Principal:
    """Somebody who has proved who they are."""

    #: Stays the same for ever, and is what audits keep: the subject of an issuer, a key's id.
    id: str
    #: For people.
    name: str
    kind: Kind
    #: In the system that asked: ``admin``, ``auditor``.
    roles: frozenset[str] = frozenset()
    #: What the token said besides; never secrets.
    claims: Mapping[str, object] = field(default_factory=dict, compare=False)
    #: In all systems: ``pricekeeper:admin``, ``*:auditor``.
    grants: frozenset[str] = frozenset()
    #: Whom they act for, as the system calls it: ``org:01K…``. Empty is for themselves.
    owner: str = ""

    def roles_in(self, system: str) -> frozenset[str]:
        """The roles in one system."""
        return roles_of(self.grants, system)

    def within(self, system: str) -> Principal:
        """The same one, as that system sees them."""
        return replace(self, roles=self.roles_in(system))

    def has(self, *roles: str) -> bool:
        """Whether one of these roles is there; without any, whether there is one at all."""
        return bool(self.roles if not roles else self.roles.intersection(roles))


def roles_of(grants: Iterable[str], system: str) -> frozenset[str]:
    """What the grants amount to in one system."""
    parts = (grant.split(":", 1) for grant in grants)
    return frozenset(role for where, role in parts if where in (system, "*"))


def grants_of(claim: object) -> frozenset[str]:
    """The grants in a claim; what does not look like one is for somebody else."""
    if isinstance(claim, str):
        claim = claim.replace(",", " ").split()
    if not isinstance(claim, list | tuple | set | frozenset):
        return frozenset()
    return frozenset(each for each in claim if isinstance(each, str) and _GRANT.match(each))


def is_reserved_id(subject: str) -> bool:
    """Tell whether an id from outside could be taken for one of ours in the audit log."""
    return subject.lower() == "system" or subject.lower().startswith(_OWN_PREFIXES)


def system_principal(system: str, worker: str) -> Principal:
    """The system itself, for what happens without anybody asking."""
    name = f"{system}/{worker}"
    return Principal(id=f"system:{name}", name=name, kind="system")
