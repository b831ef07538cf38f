"""Phone numbers in E.164: ``+919876543210``.

What is checked is what the numbering plan of the world says: a country code that exists, and at
most 15 digits; of countries that most people here come from, how long a number is there. Whether it
is in use, only a call can tell.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

MOST_DIGITS, LEAST_DIGITS = 15, 7
_MOST_CHARS = 60

#: Country codes in use (ITU-T E.164): none is the beginning of another.
_LISTED = """
    1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64
    65 66 81 82 84 86 90 91 92 93 94 95 98 211 212 213 216 218 220 221 222 223 224 225 226 227 228
    229 230 231 232 233 234 235 236 237 238 239 240 241 242 243 244 245 246 247 248 249 250 251 252
    253 254 255 256 257 258 260 261 262 263 264 265 266 267 268 269 290 291 297 298 299 350 351 352
    353 354 355 356 357 358 359 370 371 372 373 374 375 376 377 378 380 381 382 383 385 386 387 389
    420 421 423 500 501 502 503 504 505 506 507 508 509 590 591 592 593 594 595 596 597 598 599 670
    672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690 691 692 800 808 850 852
    853 855 856 870 878 880 881 882 883 886 888 960 961 962 963 964 965 966 967 968 970 971 972 973
    974 975 976 977 979 992 993 994 995 996 998
"""
_CODES = frozenset(_LISTED.split())
#: What follows the country code, where we know it: India, North America, Singapore, Bangladesh,
#: the Emirates, Nepal.
_NATIONAL = {
    "91": re.compile(r"[1-9][0-9]{9}\Z"),
    "1": re.compile(r"[2-9][0-9]{2}[2-9][0-9]{6}\Z"),
    "65": re.compile(r"[3689][0-9]{7}\Z"),
    "880": re.compile(r"[1-9][0-9]{5,9}\Z"),
    "971": re.compile(r"[1-9][0-9]{7,8}\Z"),
    "977": re.compile(r"[1-9][0-9]{7,9}\Z"),
}
#: What a number begins with that is written without: by the country, as ISO 3166 calls it.
_OF_COUNTRY = """
    AE 971 AT 43 AU 61 BD 880 BE 32 BR 55 BT 975 CA 1 CH 41 CN 86 CZ 420 DE 49 DK 45 EG 20 ES 34
    FI 358 FR 33 GB 44 GR 30 HK 852 HU 36 ID 62 IE 353 IL 972 IN 91 IT 39 JP 81 KE 254 KR 82 LK 94
    MM 95 MV 960 MX 52 MY 60 NG 234 NL 31 NO 47 NP 977 NZ 64 OM 968 PH 63 PK 92 PL 48 PT 351 QA 974
    RO 40 SA 966 SE 46 SG 65 TH 66 TR 90 TW 886 UA 380 US 1 VN 84 ZA 27
"""
_BY_COUNTRY = dict(zip(*[iter(_OF_COUNTRY.split())] * 2, strict=True))
#: Between the digits; the other hyphens and spaces are made to these first.
_SEPARATORS = re.compile(r"[\s().\-/]")
#: How people note that a zero is dialled at home only: +44 (0)20 ...
_HOME_ZERO = re.compile(r"\(0\)")


class BadPhone(ValueError):
    """Not a number, for a reason that may be shown."""


def parse(text: str, country: str | None = None) -> str:
    """The number in E.164; ``country`` is the code of those who write theirs without, as ``91``."""
    digits = _international(_plain(text), country)
    code = country_code(digits)
    if code is None:
        raise BadPhone("the number begins with no country's code: write it as +91 98765 43210")
    if not LEAST_DIGITS <= len(digits) <= MOST_DIGITS:
        raise BadPhone(f"a number has {LEAST_DIGITS} to {MOST_DIGITS} digits with its country code")
    national = _NATIONAL.get(code)
    if national is not None and not national.match(digits[len(code) :]):
        raise BadPhone(f"there are no such numbers under +{code}: a digit may be missing")
    return f"+{digits}"


def code_of(country: str) -> str | None:
    """The country code of ``IN``; None where we do not know it, and numbers need theirs."""
    return _BY_COUNTRY.get(country)


@lru_cache(maxsize=1024)
def country_code(digits: str) -> str | None:
    """The country code that digits begin with."""
    return next((digits[:n] for n in (1, 2, 3) if digits[:n] in _CODES), None)


def _plain(text: str) -> str:
    """Digits of ours, with at most a plus before them."""
    if len(text) > _MOST_CHARS:
        raise BadPhone("this is too long for a number")
    plain = "".join(_character(each) for each in unicodedata.normalize("NFKC", text))
    return _SEPARATORS.sub("", _HOME_ZERO.sub("", plain))


def _character(each: str) -> str:
    if each.isdecimal():  # those of other scripts, too
        return str(unicodedata.decimal(each))
    if unicodedata.category(each) == "Pd" or each == "\N{MINUS SIGN}":
        return "-"
    # Marks of direction come along when a number is copied.
    return "" if unicodedata.category(each) == "Cf" else each


def _international(plain: str, country: str | None) -> str:
    if plain.startswith("+"):
        digits = plain[1:]
    elif plain.startswith("00"):
        digits = plain[2:]
    elif country is not None and plain:
        # Italians keep the zero; everybody else who has one leaves it out.
        digits = country + (plain if country == "39" else plain.removeprefix("0"))
    else:
        raise BadPhone("the number needs its country code: write it as +91 98765 43210")
    if not (digits.isascii() and digits.isdigit()):
        raise BadPhone("a number has digits, and at most a + before them")
    return digits
