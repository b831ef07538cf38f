"""What administrators and clients change: settings, labels, prices, secrets, tokens."""

from __future__ import annotations

from datetime import datetime

from tablewright.model import (
    Check,
    Condition,
    Delete,
    Put,
    Rate,
    Update,
    attr,
    check,
    delete,
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
    PendingPrice,
    Price,
    RegionClass,
    RevokedToken,
    SecretRetrieval,
    ServiceTier,
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


@write(component="api", rate=Rate(0.001))
def set_price(price: Price, seen: Price | None = None) -> Put[Price]:
    """A price from a moment on; in place of one that has not come into force, if one is seen. [8]

    Records name the prices that they were reckoned with, so one that is in force never changes.
    """
    if seen is None:
        return put(price).new()
    return put(price).when(attr(Price.fetched_at_epoch) == seen.fetched_at_epoch)


@write(component="price-refresh", rate=Rate(0.0001))
def save_price(price: Price) -> Put[Price]:
    """A price of the table that ships with the program, or of the price list. [8]"""
    return put(price).new()


@write(component="price-refresh", rate=Rate(0.0001))
def hold_price(pending: PendingPrice) -> Put[PendingPrice]:
    """A price waits until somebody has looked at it; the latest one that was seen. [8]"""
    return put(pending)


@transaction(component="api", rate=Rate(0.0001), expect=2)
def approve_price(pending: PendingPrice, price: Price) -> tuple[Delete[PendingPrice], Put[Price]]:
    """A price that waited is right: it counts, and waits no longer. [8]"""
    return delete(pending).existing().when(_as_seen(pending)), put(price).new()


@write(component="api", rate=Rate(0.0001))
def reject_price(pending: PendingPrice) -> Update[PendingPrice]:
    """A price that waited is wrong; the same one will not be asked about again. [8]"""
    rejected = update(
        PendingPrice, pending.bedrock_model_id, pending.region_class, pending.service_tier
    ).do(attr(PendingPrice.state).set("REJECTED"))
    return rejected.when(_as_seen(pending))


@write(component="price-refresh", rate=Rate(0.0001))
def withdraw_price(
    bedrock_model_id: str, region_class: RegionClass, service_tier: ServiceTier
) -> Delete[PendingPrice]:
    """A price that waited is not offered any more. [8]"""
    return delete(PendingPrice, bedrock_model_id, region_class, service_tier)


def _as_seen(pending: PendingPrice) -> Condition:
    return attr(PendingPrice.fetched_at_epoch) == pending.fetched_at_epoch


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
def end_tokens(org_id: str, holder: str, after: datetime) -> Update[Credential]:
    """All tokens of a client from before a moment are worth nothing; its secret stays. [5]"""
    valid = attr(Credential.tokens_valid_after_epoch)
    ended = update(Credential, org_id, holder).do(valid.set(after))
    # Never back: what has ended once does not come to life again.
    return ended.when(valid.missing() | (valid < after))


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
