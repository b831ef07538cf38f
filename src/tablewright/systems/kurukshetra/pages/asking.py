"""What forms ask for in people's own terms: times by the event's clock, money in rupees.

Bodies want moments in UTC and money in minor units; what cannot be read stands at its field.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from tablewright.service.amounts import AmountError, parse_amount
from tablewright.service.forms import Typed
from tablewright.service.problems import FieldError
from tablewright.systems.kurukshetra.rules.fees import currencies_in_use, minor_digits, written
from tablewright.systems.kurukshetra.rules.local_time import BadZone, instant, zone_of


@dataclass
class Asked:
    """A form that was sent, and what is wrong with it so far."""

    values: Typed
    errors: list[FieldError] = field(default_factory=list)

    def text(self, name: str) -> str | None:
        """None if nothing was typed."""
        return self.values.get(name) or None

    def ticked(self, name: str) -> bool:
        return self.values.get(name) == "1"

    def lines(self, name: str) -> list[str]:
        """One thing in each line, or several with commas between."""
        found = re.split(r"[\n,]", self.values.get(name, ""))
        return [each.strip() for each in found if each.strip()]

    def moment(self, name: str, zone: str, *, later: bool = False) -> str | None:
        """A time by the clock there, as the API wants it. ``later``: the end of something."""
        typed = self.values.get(name, "")
        try:
            local = datetime.fromisoformat(typed).replace(tzinfo=None) if typed else None
            return None if local is None else iso(instant(local, zone, later=later))
        except BadZone:
            return None
        except (ValueError, OverflowError):
            self.errors.append(FieldError(f"body.{name}", "A day and a time."))
            return None

    def amount(self, name: str, currency: str) -> int | None:
        """Money in minor units; None if nothing was typed."""
        typed = self.values.get(name, "").strip()
        if not typed:
            return None
        minor, known = minor_digits(currency), currency if currency in currencies_in_use() else None
        try:
            parsed = parse_amount(
                typed, locale=_locale_of(currency), decimals=minor, currency=known
            )
        except AmountError as error:
            self.errors.append(FieldError(f"body.{name}", str(error)))
            return None
        return int(parsed.scaleb(minor))


def _locale_of(currency: str) -> str | None:
    """Where a comma groups digits for sure: ``1,000`` rupees are a thousand."""
    return "en-IN" if currency == "INR" else None


def amount_text(amount: int | None, currency: str) -> str:
    """As it is typed: ``999`` or ``12.50``."""
    if amount is None:
        return ""
    number = written(amount, currency).partition(" ")[2].replace(",", "")
    return number.partition(".")[0] if set(number.partition(".")[2]) <= {"0"} else number


def local_text(moment: datetime | None, zone: str) -> str:
    """As an input for a day and a time has it, by the clock there."""
    if moment is None:
        return ""
    text = moment.astimezone(zone_of(zone)).strftime("%Y-%m-%dT%H:%M:%S")
    return text.removesuffix(":00")


def iso(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def day_of(text: str) -> date | None:
    """A day as addresses have it; what is none was not asked for."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
