"""What administrators and clients change: settings, labels, prices, secrets, tokens."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from tablewright.model import (
    Check,
    Put,
    Rate,
    Update,
    attr,
    batch,
    check,
    put,
    transaction,
    update,
    write,
)
from tablewright.systems.pricekeeper.config import (
    App,
    Credential,
    Label,
    Org,
    OrgIndex,
    Price,
    RevokedToken,
    SecretRetrieval,
)

# --- settings ------------------------------------------------------------------------------------


@transaction(component="api", rate=Rate(0.001), expect=4)
def create_org(
    org: Org, credential: Credential, retrieval: SecretRetrieval
) -> tuple[Put[Org], Put[OrgIndex], Put[Credential], Put[SecretRetrieval]]:
    """A new organisation, its place in the list, and a secret to be fetched once. [6]"""
    return (
        put(org).new(),
        put(_listed(org)),
        put(credential).new(),
        put(retrieval).new(),
    )


@transaction(component="api", rate=Rate(0.01), expect=2)
def save_org(org: Org) -> tuple[Put[Org], Put[OrgIndex]]:
    """New settings of an organisation, from the version that was read; also to delete it. [C1]"""
    return put(org).replace(), put(_listed(org))


@transaction(component="api", rate=Rate(0.001), expect=4)
def create_app(
    app: App, credential: Credential, retrieval: SecretRetrieval
) -> tuple[Check[Org], Put[App], Put[Credential], Put[SecretRetrieval]]:
    """A new app of an active organisation, and a secret to be fetched once. [6]"""
    return (
        check(Org, app.org_id).when(attr(Org.status) == "ACTIVE"),
        put(app).new(),
        put(credential).new(),
        put(retrieval).new(),
    )


@write(component="api", rate=Rate(0.01))
def save_app(app: App) -> Put[App]:
    """New settings of an app, from the version that was read; also to delete it. [C2]"""
    return put(app).replace()


@write(component="api", rate=Rate(0.001))
def save_label(label: Label) -> Put[Label]:
    """A label, new or changed. [13]"""
    return put(label)


@batch(component="price-refresh", rate=Rate(0.0001), expect=25)
def save_prices(prices: Sequence[Price]) -> list[Put[Price]]:
    """Prices from their day on; what was valid before stays. [8]"""
    return [put(price) for price in prices]


def _listed(org: Org) -> OrgIndex:
    return OrgIndex(org_id=org.org_id, org_name=org.org_name, status=org.status)


# --- secrets and tokens --------------------------------------------------------------------------


@transaction(component="api", rate=Rate(0.001), expect=2)
def rotate(
    current: Credential,
    new_hash: str,
    retrieval: SecretRetrieval,
    *,
    now: datetime,
    grace_until: datetime | None,
) -> tuple[Update[Credential], Put[SecretRetrieval]]:
    """A new secret; the old one is good until the grace ends, or no longer at all. [6]"""
    changes = [
        attr(Credential.client_secret_hash).set(new_hash),
        attr(Credential.client_secret_created_at_epoch).set(now),
        attr(Credential.client_secret_rotation_grace_expires_at_epoch).set(grace_until),
        attr(Credential.cred_version).set(current.cred_version + 1),
    ]
    if grace_until is None:
        changes.append(attr(Credential.previous_secret_hash).remove())
        changes.append(attr(Credential.tokens_valid_after_epoch).set(now))
    else:
        changes.append(attr(Credential.previous_secret_hash).set(current.client_secret_hash))
    rotated = update(Credential, current.org_id, current.holder).do(*changes)
    unchanged = attr(Credential.cred_version) == current.cred_version
    return rotated.when(unchanged), put(retrieval).new()


@write(component="api", rate=Rate(0.001))
def upgrade_secret_hash(
    org_id: str, holder: str, old_hash: str, new_hash: str
) -> Update[Credential]:
    """The same secret under a better hash, when its owner has just proved to know it. [6]"""
    upgraded = update(Credential, org_id, holder).do(
        attr(Credential.client_secret_hash).set(new_hash)
    )
    return upgraded.when(attr(Credential.client_secret_hash) == old_hash)


@write(component="api", rate=Rate(0.001))
def redeem_secret(token_hash: str, now: datetime) -> Update[SecretRetrieval]:
    """Use a retrieval token up, and get what it held: of all who try, one is not refused. [7]"""
    redeemed = update(SecretRetrieval, token_hash).do(
        attr(SecretRetrieval.used).set(True),
        attr(SecretRetrieval.used_at_epoch).set(now),
        attr(SecretRetrieval.ciphertext).remove(),
    )
    return redeemed.when(attr(SecretRetrieval.used).eq(False)).returning_old()


@write(component="api", rate=Rate(0.001))
def revoke_token(token: RevokedToken) -> Put[RevokedToken]:
    """A token, or its whole family, is worth nothing from now on. [5]"""
    return put(token)


@write(component="api", rate=Rate(0.01))
def use_refresh_token(token: RevokedToken) -> Put[RevokedToken]:
    """A refresh token is good once: who is refused has a copy, and the family goes. [5]"""
    return put(token).new()
