"""The keys of an account at the gateway, and which of them may be used where."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import SecretStr

from tablewright.service.settings import SettingsError, is_loopback

_LIVE = "rzp_live_"


@dataclass(frozen=True, slots=True)
class Credentials:
    """Two keys for asking, and the secrets of what comes unasked."""

    key_id: str
    key_secret: SecretStr
    webhook_secret: SecretStr
    #: Deliveries that were signed before a change keep their signature while they are repeated.
    webhook_secret_previous: SecretStr | None = None

    def __post_init__(self) -> None:
        """Anybody could sign with an empty secret."""
        secrets = [self.key_secret, self.webhook_secret]
        if not self.key_id or not all(each.get_secret_value() for each in secrets):
            raise SettingsError("razorpay: the key id, its secret and the webhook's must be set")

    @property
    def live(self) -> bool:
        """Whether real money moves."""
        return self.key_id.startswith(_LIVE)

    def webhook_secrets(self) -> tuple[str, ...]:
        """The current one first."""
        both = (self.webhook_secret, self.webhook_secret_previous)
        return tuple(each.get_secret_value() for each in both if each is not None)


def check_place(credentials: Credentials, base_url: str, *, production: bool) -> None:
    """SettingsError for real money outside of production, or play money inside."""
    sandbox = is_loopback(urlsplit(base_url).hostname or "")
    if production and sandbox:
        raise SettingsError("razorpay: the sandbox must not be used in production")
    if production and not credentials.live:
        raise SettingsError("razorpay: production needs live keys; these move no money")
    if credentials.live and not production:
        raise SettingsError("razorpay: live keys must not be used outside of production")
