"""Money and times as people at the event write them."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Final

from tablewright.systems.kurukshetra.rules.fees import written
from tablewright.systems.kurukshetra.rules.local_time import zone_of

_SIGNS: Final = {"INR": "₹", "USD": "$", "EUR": "€", "GBP": "£"}
_NO_BREAK: Final = "\N{NO-BREAK SPACE}"
MINUS: Final = "\N{MINUS SIGN}"
_METHODS: Final = {"card": "Card", "upi": "UPI", "netbanking": "Net banking", "wallet": "Wallet"}
#: Between the ends of a span.
TO: Final = " \N{EN DASH} "


def money(amount: int, currency: str) -> str:
    """``₹1,25,000`` or ``$12.50``: without paise where there are none."""
    number = written(abs(amount), currency).partition(" ")[2].replace(",", "")
    whole, dot, rest = number.partition(".")
    digits = _indian(whole) if currency == "INR" else f"{Decimal(whole):,}"
    sign = _SIGNS.get(currency, f"{currency}{_NO_BREAK}")
    cents = f"{dot}{rest}" if rest.strip("0") else ""
    return f"{MINUS if amount < 0 else ''}{sign}{digits}{cents}"


def _indian(whole: str) -> str:
    """In lakhs and crores: three digits at the end, twos before them."""
    head, tail = whole[:-3], whole[-3:]
    pairs = []
    while head:
        head, pair = head[:-2], head[-2:]
        pairs.append(pair)
    return ",".join([*reversed(pairs), tail])


def local(moment: datetime, zone: str) -> str:
    """``Sat 14 Nov 2026, 09:00 IST``, by the clock at the event's place."""
    there = moment.astimezone(zone_of(zone))
    return f"{local_date(moment, zone)}, {there:%H:%M} {_zone_name(there)}"


def local_date(moment: datetime, zone: str) -> str:
    """``Sat 14 Nov 2026``."""
    there = moment.astimezone(zone_of(zone))
    return f"{there:%a} {there.day} {there:%b %Y}"


def local_span(start: datetime, end: datetime, zone: str) -> str:
    """From the start to the end; if that is the same day, it is said once."""
    first, last = start.astimezone(zone_of(zone)), end.astimezone(zone_of(zone))
    begin = f"{local_date(start, zone)}, {first:%H:%M}"
    if first.date() == last.date():
        return f"{begin}{TO}{last:%H:%M} {_zone_name(last)}"
    return f"{begin}{TO}{local(end, zone)}"


def _zone_name(there: datetime) -> str:
    """``IST``; where a zone has no letters, how far it is from UTC."""
    name = there.tzname() or "UTC"
    return name if name[:1].isalpha() else f"UTC{name}"


def listed(names: list[str]) -> str:
    """``Asha, Ravi and Meera``."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def method_name(method: str | None) -> str:
    """``upi`` as ``UPI``; what the gateway calls otherwise stays as it is."""
    return _METHODS.get(method or "", method or "")


def track_name(slug: str) -> str:
    """``ai-ml`` as ``AI & ML``, ``open-innovation`` as ``Open innovation``."""
    known = {"ai-ml": "AI & ML", "web-mobile": "Web & mobile", "iot-hardware": "IoT & hardware"}
    return known.get(slug) or slug.replace("-", " ").capitalize()
