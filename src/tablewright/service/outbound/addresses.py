"""Which hosts may be spoken to, and under which of their addresses."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import SplitResult, urlsplit

from tablewright.service.settings import is_loopback

#: Longer addresses are refused.
MOST_CHARS = 2048
#: A host's addresses, as texts.
Resolver: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
Ip: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

#: What is given out for the internet; all else in IPv6 is for something special.
_GIVEN_OUT = ipaddress.IPv6Network("2000::/3")
#: Of that, addresses that stand for others, which may well be private: ways to carry IPv4.
_STAND_FOR_OTHERS = (ipaddress.IPv6Network("2001::/32"), ipaddress.IPv6Network("2002::/16"))


class UnsafeAddress(Exception):
    """An address that is not spoken to, for a reason that may be shown."""


@dataclass(frozen=True)
class Place:
    """Where a request goes: an address as it was given, and what its host was found to be."""

    url: str
    scheme: str
    host: str
    port: int
    #: To connect to, in this order. Nothing else is asked for the host again.
    ips: tuple[str, ...]
    #: This machine, where that is allowed.
    local: bool


def is_public(ip: Ip) -> bool:
    """Whether anybody on the internet could reach it."""
    if isinstance(ip, ipaddress.IPv6Address) and not _leads_out(ip):
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)


def _leads_out(ip: ipaddress.IPv6Address) -> bool:
    return ip in _GIVEN_OUT and not any(ip in net for net in _STAND_FOR_OTHERS)


async def look_up(host: str, port: int) -> Sequence[str]:
    """What the machine's resolver says."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


def read(url: str, *, allow_local: bool = False) -> SplitResult:
    """The parts of an address whose form is fine; nothing is looked up."""
    if len(url) > MOST_CHARS or any(ord(char) <= 32 or ord(char) == 127 for char in url):
        raise UnsafeAddress("is too long, or has spaces or control characters in it")
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise UnsafeAddress("is not an address") from None
    if not parts.hostname:
        raise UnsafeAddress("names no host")
    if parts.username is not None or parts.password is not None:
        raise UnsafeAddress("must have no user and no password")
    local = allow_local and is_loopback(parts.hostname)
    if parts.scheme != "https" and not (local and parts.scheme == "http"):
        raise UnsafeAddress("must begin with https://")
    if is_loopback(parts.hostname) and not local:
        raise UnsafeAddress("is this machine")
    return parts


async def checked(url: str, *, allow_local: bool = False, resolver: Resolver = look_up) -> Place:
    """The place, if it may be spoken to; OSError if its host cannot be found."""
    parts = read(url, allow_local=allow_local)
    host = _ascii(parts.hostname or "")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    local = allow_local and is_loopback(host)
    try:
        found = await resolver(host, port)
    except UnicodeError:
        raise UnsafeAddress("names no host") from None
    if not found:
        raise OSError("the host has no address")
    for each in found:
        _check_ip(each, local)
    return Place(url, parts.scheme, host, port, tuple(found), local)


def _ascii(host: str) -> str:
    """The host as the network has it."""
    try:
        return host.rstrip(".") if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        raise UnsafeAddress("names no host") from None


def _check_ip(text: str, local: bool) -> None:
    """One bad address among good ones is enough to refuse: it may be the one that is taken."""
    try:
        ip = ipaddress.ip_address(text)
    except ValueError:
        raise UnsafeAddress("leads to no address") from None
    if local:
        if not ip.is_loopback:
            raise UnsafeAddress("is not this machine")
    elif not is_public(ip):
        raise UnsafeAddress("leads to an address that is not public")
