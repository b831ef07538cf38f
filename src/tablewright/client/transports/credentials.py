"""Whose keys sign: given ones, those of the environment, or whatever botocore finds.

botocore is imported only when it is asked, so that neither a local database nor a Lambda function
(whose keys are in the environment) pays for it.

A :class:`Source` has two methods because finding keys may take a while (a file, a login, the
metadata service of the machine): :meth:`Source.current` never waits, :meth:`Source.fetch` may, and
an event loop calls it in another thread.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from tablewright.model.errors import CredentialsError

#: How long keys of botocore are used before it is asked again whether they will expire. It
#: renews them 15 minutes before they do.
_CHECK_SECONDS = 5.0

_WHAT_TO_SET = (
    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN for temporary keys), "
    "or pass credentials=Credentials(...)"
)
_INSTALL = (
    "Profiles, SSO and roles of a machine need botocore, which is not installed: "
    "pip install tablewright[aws]"
)


@dataclass(frozen=True, slots=True)
class Credentials:
    """An access key; a session token makes it a temporary one."""

    access_key: str
    secret_key: str = field(repr=False)
    token: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name in ("access_key", "token"):
            text = getattr(self, name)
            # They stand in headers, where anything else would be another header or another text.
            if text is not None and not (text and text.isascii() and text.isprintable()):
                raise CredentialsError(
                    f"The {name} is empty or has characters that keys never have."
                )
            if text is not None and " " in text:
                raise CredentialsError(f"The {name} has a space in it; was it copied completely?")
        if not self.secret_key:
            raise CredentialsError(f"The secret key of {self.access_key} is empty.")


#: For a database on this machine, which takes any key, if nothing else is set.
LOCAL = Credentials("local", "local")


class Source(Protocol):
    """Where credentials come from."""

    def current(self) -> Credentials | None:
        """The keys to sign with now; None if :meth:`fetch` has to be asked. Never waits."""
        ...

    def fetch(self) -> Credentials:
        """Find or renew the keys; may wait for files and networks. Raises CredentialsError."""
        ...

    def forget(self) -> None:
        """The service calls the keys expired: look for others next time."""
        ...


class Fixed:
    """The same credentials for ever."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def current(self) -> Credentials:
        return self._credentials

    def fetch(self) -> Credentials:
        return self._credentials

    def forget(self) -> None:
        """There are no others."""


class Chain:
    """What botocore finds: profiles, SSO, web identities, roles of containers and machines."""

    def __init__(
        self,
        profile: str | None = None,
        session: Callable[[str | None], Any] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._profile = profile
        self._session = session or botocore_session
        self._monotonic = monotonic
        self._found: Any = None
        self._credentials: Credentials | None = None
        self._good_until = 0.0
        self._fetching = threading.Lock()

    def current(self) -> Credentials | None:
        return self._credentials if self._monotonic() < self._good_until else None

    def fetch(self) -> Credentials:
        with self._fetching:
            # Whoever waited for the lock finds what the one before has fetched.
            current = self.current()
            if current is not None:
                return current
            fetched = self._fetch()
            if fetched != self._credentials:  # an equal one stays: signers know it by identity
                self._credentials = fetched
            self._good_until = self._monotonic() + _CHECK_SECONDS
            assert self._credentials is not None
            return self._credentials

    def forget(self) -> None:
        self._found = None
        self._good_until = 0.0

    def _fetch(self) -> Credentials:
        try:
            found = self._found or self._session(self._profile).get_credentials()
            frozen = None if found is None else found.get_frozen_credentials()
        except CredentialsError:
            raise
        except Exception as error:  # whatever its many providers raise
            raise CredentialsError(f"The credentials cannot be had: {error}") from error
        if frozen is None or not frozen.access_key or not frozen.secret_key:
            where = "" if self._profile is None else f" in the profile {self._profile}"
            raise CredentialsError(
                f"No credentials were found{where}. {_WHAT_TO_SET}, name a profile with"
                " AWS_PROFILE, or log in (aws sso login)."
            )
        self._found = found
        return Credentials(frozen.access_key, frozen.secret_key, frozen.token or None)


def botocore_session(profile: str | None) -> Any:
    """A session of botocore, imported here for the first time."""
    try:
        from botocore.session import Session
    except ImportError:
        raise CredentialsError(
            f"No credentials or region were given. {_WHAT_TO_SET}. {_INSTALL}"
        ) from None
    return Session(profile=profile)


def find_credentials(
    given: Credentials | Source | None,
    *,
    profile: str | None = None,
    local: bool = False,
    environment: Mapping[str, str] = os.environ,
) -> Source:
    """Where to take credentials from. A ``local`` database gets some, if nobody set any."""
    if isinstance(given, Credentials):
        return Fixed(given)
    if given is not None:
        return given
    if profile is not None:
        return Chain(profile)
    found = from_environment(environment)
    if found is not None:
        return Fixed(found)
    if local and not environment.get("AWS_PROFILE"):
        return Fixed(LOCAL)
    return Chain()


def from_environment(environment: Mapping[str, str] = os.environ) -> Credentials | None:
    """The keys that the environment variables hold."""
    access_key = environment.get("AWS_ACCESS_KEY_ID", "").strip()
    secret_key = environment.get("AWS_SECRET_ACCESS_KEY", "").strip()
    if not access_key and not secret_key:
        return None
    for name, value in (("AWS_ACCESS_KEY_ID", access_key), ("AWS_SECRET_ACCESS_KEY", secret_key)):
        if not value:
            raise CredentialsError(
                f"{name} is not set, but its counterpart is: set both or neither."
            )
    token = environment.get("AWS_SESSION_TOKEN", "").strip()
    return Credentials(access_key, secret_key, token or None)


def find_region(
    given: str | None,
    *,
    profile: str | None = None,
    local: bool = False,
    environment: Mapping[str, str] = os.environ,
) -> str:
    """The region to sign for; raises CredentialsError if there is none."""
    region = given or (
        None
        if profile is not None
        else environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
    )
    if not region and local and profile is None and not environment.get("AWS_PROFILE"):
        return "us-east-1"
    if not region:
        region = _configured_region(profile)
    if not (region.isascii() and region.replace("-", "").isalnum()):
        raise CredentialsError(f"{region!r} is not the name of a region, such as eu-west-1.")
    return region


def _configured_region(profile: str | None) -> str:
    try:
        region = botocore_session(profile).get_config_variable("region")
    except CredentialsError:
        raise CredentialsError(
            "No region was given. Set AWS_REGION or pass region='eu-west-1', for instance. "
            + _INSTALL
        ) from None
    except Exception as error:  # a profile that does not exist, a file that cannot be read
        raise CredentialsError(f"The region cannot be had: {error}") from error
    if not region:
        raise CredentialsError(
            "No region was given. Set AWS_REGION or pass region='eu-west-1', for instance, or "
            "write it into your profile (aws configure set region ...)."
        )
    return str(region)
