"""Money, numbers and times as people read them; templates have these as filters.

Money is integers (micro-dollars, pico-dollars), and stays exact until it is text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, Decimal

from markupsafe import Markup, escape

#: Nothing to show.
NONE = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"

_BYTES = ("B", "KB", "MB", "GB", "TB", "PB")
_SPANS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
_LARGE = ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))


def usd(micros: int | None) -> str:
    """Micro-dollars: ``$1,234.50``; small amounts with as many digits as it takes."""
    return NONE if micros is None else _dollars(Decimal(micros).scaleb(-6))


def usd_picos(picos: int | None) -> str:
    """Pico-dollars, as ledgers have them."""
    return NONE if picos is None else _dollars(Decimal(picos).scaleb(-12))


def _dollars(amount: Decimal) -> str:
    sign = "-" if amount < 0 else ""
    size = abs(amount)
    digits = 2 if size >= Decimal("0.1") or size == 0 else _digits(size)
    rounded = size.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN)
    return f"{sign}${rounded:,f}"


def _digits(size: Decimal) -> int:
    """Enough for two figures that are not zero: 0.000012."""
    return min(12, 1 - size.adjusted())


def number(value: float | Decimal | None, digits: int = 2) -> str:
    """With commas, and without zeros at the end."""
    if value is None:
        return NONE
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def counted(count: int, one: str, many: str = "") -> str:
    """``1 table``, ``8 tables``."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


def compact(value: float | None) -> str:
    """``12.3 k``: where the figure has little room and the exact one is elsewhere."""
    if value is None:
        return NONE
    for size, sign in _LARGE:
        if abs(value) >= size:
            return f"{number(value / size, 1)} {sign}"
    return number(value)


def percent(value: float | None) -> str:
    """Of a hundred. What is neither none nor all is never shown as if it were."""
    if value is None:
        return NONE
    shown = round(value, 1)
    if 0 < value < 0.1:
        return "< 0.1 %"
    if 99.9 < value < 100:
        return "> 99.9 %"
    return f"{number(shown, 1)} %"


def bytes_(value: int | None) -> str:
    """In powers of 1024."""
    if value is None:
        return NONE
    size, unit = float(value), 0
    while size >= 1024 and unit < len(_BYTES) - 1:
        size, unit = size / 1024, unit + 1
    return f"{number(size, 1)} {_BYTES[unit]}"


def duration(seconds: float | None) -> str:
    """The two largest parts: ``2 h 5 min``."""
    if seconds is None:
        return NONE
    if 0 < seconds < 1:
        return f"{number(seconds * 1000, 1)} ms"
    left, parts = int(seconds), []
    for size, sign in _SPANS:
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {sign}")
    return " ".join(parts[:2]) or "0 s"


def as_datetime(moment: float | datetime) -> datetime:
    """In UTC."""
    if isinstance(moment, datetime):
        return moment.astimezone(UTC)
    return datetime.fromtimestamp(moment, UTC)


def iso(moment: float | datetime) -> str:
    """For ``<time datetime=…>``."""
    return as_datetime(moment).isoformat(timespec="seconds").replace("+00:00", "Z")


def moment(value: float | datetime | None) -> str:
    """``15 Nov 2026, 12:00 UTC``; seconds only where they are not zero."""
    if value is None:
        return NONE
    when = as_datetime(value)
    clock = when.strftime("%H:%M:%S" if when.second else "%H:%M")
    return f"{when.day} {when.strftime('%b %Y')}, {clock} UTC"


def in_unit(value: float | None, unit: str) -> str:
    """A value of a chart, where it stands in a table."""
    if value is None:
        return NONE
    if unit == "usd":
        return _dollars(Decimal(str(value)))
    if unit == "index":
        return f"{value:+.2f}".replace("-", MINUS)
    if unit.isupper():
        return f"{unit} {number(value)}"
    return percent(value) if unit == "percent" else number(value)


def field_name(place: str) -> str:
    """What people call the place of an error: ``body.quotas.premium`` is "quotas premium"."""
    parts = [part for part in place.split(".") if part not in ("body", "query", "path", "form")]
    return " ".join(parts).replace("_", " ") or place


def slug(text: str) -> str:
    """Words as an id."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def ticks(text: str) -> Markup:
    """Mark up text whose code stands between backticks, as in Markdown, in linear time.

    A run of backticks opens code if a run of the same length follows in its line; otherwise it is
    text.
    """
    runs = list(re.finditer("`+|\n", text))
    # For every run, the next one of its length in the same line.
    closing: list[int | None] = [None] * len(runs)
    next_of_length: dict[int, int] = {}
    for index in range(len(runs) - 1, -1, -1):
        if runs[index][0] == "\n":
            next_of_length = {}
            continue
        length = len(runs[index][0])
        closing[index] = next_of_length.get(length)
        next_of_length[length] = index
    pieces, end, index = [], 0, 0
    while index < len(runs):
        close = closing[index]
        if close is None:
            index += 1
            continue
        code = text[runs[index].end() : runs[close].start()].strip()
        pieces.append(escape(text[end : runs[index].start()]))
        pieces.append(Markup("<code>{}</code>").format(code))
        end, index = runs[close].end(), close + 1
    pieces.append(escape(text[end:]))
    return Markup("").join(pieces)


FILTERS: Mapping[str, Callable[..., str]] = {
    "usd": usd,
    "usd_picos": usd_picos,
    "number": number,
    "counted": counted,
    "compact": compact,
    "percent": percent,
    "bytes": bytes_,
    "duration": duration,
    "iso": iso,
    "moment": moment,
    "in_unit": in_unit,
    "field_name": field_name,
    "slug": slug,
    "ticks": ticks,
}
