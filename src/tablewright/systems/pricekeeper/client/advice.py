"""The recommendations that a client has received, and what replaces them while there are none."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tablewright.systems.pricekeeper.client.errors import QuotaExceeded

#: Seconds without another request after one that got no answer.
_PAUSE_SECS = 2.0
#: Seconds for which "no label is open" is believed; a limit may be raised at any time.
_CLOSED_SECS = 5.0


@dataclass(frozen=True)
class Advice:
    """Which label to use, for how long the answer is good, and how near the limit is."""

    label: str
    mode: Literal["NORMAL", "TIGHT"]
    pct: float
    #: The whole answer: selection or guidance of a submission. Empty for a fallback.
    details: Mapping[str, Any] = field(default_factory=dict)
    #: The model behind the label; None only for a fallback that does not name one.
    model_id: str | None = None
    #: The service did not answer: this is the last recommendation, or the fallback.
    stale: bool = False


@dataclass(frozen=True)
class Fallback:
    """What to use while the service is down and no recent recommendation is known."""

    label: str
    model_id: str | None = None


class AdviceStore:
    """The last recommendation, the models of all labels, and the fallback."""

    def __init__(self, fallback: Fallback | str | None, stale_secs: float) -> None:
        self._fallback = Fallback(fallback) if isinstance(fallback, str) else fallback
        self._stale_secs = stale_secs
        self._last: Advice | None = None
        self._received_at = 0.0
        self._good_until = 0.0
        self._paused_until = 0.0
        #: That no label is open, and until when that is known.
        self._closed: tuple[float, str] | None = None
        self._models: dict[str, str] = {}

    def current(self) -> Advice | None:
        """Return the recommendation that is still good; None if the service has to be asked.

        Raises :class:`QuotaExceeded` if the service has just said that no label is open.
        """
        now = time.monotonic()
        if self._closed is not None:
            reopens, detail = self._closed
            if now < min(max(self._good_until, self._paused_until), reopens):
                raise QuotaExceeded(detail, reopens - now)
        return self._last if self._last is not None and now < self._good_until else None

    def substitute(self) -> Advice | None:
        """Return what to use if the service does not answer; None if there is nothing.

        If its last answer was that no label is open, nothing replaces that answer until then.
        """
        now = time.monotonic()
        if self._closed is not None and now < self._closed[0]:
            return None
        last = self._last
        if last is not None and now - self._received_at < self._stale_secs:
            return replace(last, stale=True)
        if self._fallback is None:
            return None
        model_id = self._fallback.model_id or self.model_of(self._fallback.label)
        return Advice(self._fallback.label, "NORMAL", 0.0, model_id=model_id, stale=True)

    def model_of(self, label: str) -> str | None:
        """Return the model that the service has last named for a label."""
        return self._models.get(label)

    def is_paused(self) -> bool:
        """Tell whether the service has failed so lately that it is not asked again yet."""
        return time.monotonic() < self._paused_until

    # --- answers ---------------------------------------------------------------------------------

    def store_selection(self, answer: Mapping[str, Any]) -> Advice:
        """Keep a selection, for as long as it is good."""
        for status in answer.get("models_status", ()):
            self._learn_model(status.get("label"), status.get("bedrock_model_id"))
        label = str(answer["recommended_label"])
        self._learn_model(label, answer.get("bedrock_model_id"))
        return self._store(label, answer["client_guidance"], answer)

    def store_guidance(self, guidance: Mapping[str, Any]) -> None:
        """Keep what the reply to a submission recommends from now on."""
        label = guidance.get("recommended_label")
        if label is None:
            self.close("No label is open.", float(guidance["cache_duration_secs"]))
            self._good_until = 0.0
            return
        self._learn_model(label, guidance.get("bedrock_model_id"))
        self._store(str(label), guidance, guidance)

    def close(self, detail: str, retry_after: float) -> None:
        """Keep that no label is open."""
        now = time.monotonic()
        self._last, self._good_until = None, now + _CLOSED_SECS
        self._closed = now + retry_after, detail

    def pause(self, secs: float = 0.0) -> None:
        """Leave the service alone for a while: it did not answer, or asked for it."""
        self._paused_until = time.monotonic() + max(secs, _PAUSE_SECS)

    def _store(self, label: str, guidance: Mapping[str, Any], details: Mapping[str, Any]) -> Advice:
        now = time.monotonic()
        self._last = Advice(
            label,
            guidance["mode"],
            float(guidance["pct"]),
            details,
            self.model_of(label),
            bool(guidance.get("stale", False)),
        )
        self._closed = None
        self._received_at, self._paused_until = now, 0.0
        self._good_until = now + float(guidance["cache_duration_secs"])
        return self._last

    def _learn_model(self, label: object, model_id: object) -> None:
        if isinstance(label, str) and isinstance(model_id, str):
            self._models[label] = model_id
