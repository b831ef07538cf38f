"""What one call of a model has used so far."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Tokens:
    """Tokens by their kind."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


@dataclass
class Call:
    """One call. Say what it uses as it goes: what is known when it breaks off is recorded."""

    label: str
    #: The model behind the label; None if the service has not named it yet.
    model_id: str | None = None
    tokens: Tokens = field(default_factory=Tokens)
    #: Set once its usage is recorded.
    request_id: str | None = None

    def used(
        self,
        *,
        input_tokens: int = 0,
        output_tokens: int = 0,
        cache_read_tokens: int = 0,
        cache_write_tokens: int = 0,
    ) -> None:
        """Add to what the call has used."""
        now = self.tokens
        self.tokens = replace(
            now,
            input=now.input + input_tokens,
            output=now.output + output_tokens,
            cache_read=now.cache_read + cache_read_tokens,
            cache_write=now.cache_write + cache_write_tokens,
        )
