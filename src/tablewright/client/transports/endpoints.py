"""Where requests go: AWS's hosts, given URLs, proxies in between."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

from tablewright.model.errors import RequestError

#: Domains of the partitions, by how their regions begin; everywhere else it is amazonaws.com.
_DOMAINS = {
    "cn-": "amazonaws.com.cn",
    "eusc-": "amazonaws.eu",
    "us-iso-": "c2s.ic.gov",
    "us-isob-": "sc2s.sgov.gov",
    "us-isof-": "csp.hci.ic.gov",
    "eu-isoe-": "cloud.adc-e.uk",
}
_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[A-Za-z0-9._:-]+")


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy."""

    host: str
    port: int
    #: The value of its Proxy-Authorization header.
    authorization: str | None = field(default=None, repr=False)

    def header(self) -> str:
        return f"Proxy-Authorization: {self.authorization}\r\n" if self.authorization else ""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server to connect to."""

    host: str
    port: int
    secure: bool
    proxy: Proxy | None = None

    @property
    def authority(self) -> str:
        """The Host header: with the port, unless it is the usual one."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        usual = _PORTS["https" if self.secure else "http"]
        return name if self.port == usual else f"{name}:{self.port}"

    @property
    def url(self) -> str:
        return f"{'https' if self.secure else 'http'}://{self.authority}"

    @property
    def local(self) -> bool:
        """Whether it is on this machine."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def parse(url: str) -> Endpoint:
    """The endpoint of a URL; raises RequestError if it is none."""
    wrong = RequestError(f"{url!r} is not an endpoint: write http://HOST:PORT or https://HOST.")
    try:
        parts = urlsplit(url.strip())
        scheme, host, port = parts.scheme, parts.hostname or "", parts.port
        host.encode("idna")  # refuses what no name service could look up
    except ValueError:
        raise wrong from None
    if scheme not in _PORTS or not _HOST.fullmatch(host):
        raise wrong
    if parts.path not in ("", "/") or parts.query or parts.fragment or parts.username:
        raise RequestError(
            f"The endpoint at {host} has more than a host and a port: write {scheme}://{host}:PORT."
        )
    return Endpoint(host, port or _PORTS[scheme], scheme == "https")


def configured(environment: Mapping[str, str] = os.environ, streams: bool = False) -> str | None:
    """The URL that environment variables set, as botocore reads them."""
    if environment.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "").lower() == "true":
        return None
    service = "DYNAMODB_STREAMS" if streams else "DYNAMODB"
    return environment.get(f"AWS_ENDPOINT_URL_{service}") or environment.get("AWS_ENDPOINT_URL")


def regional(
    region: str, environment: Mapping[str, str] = os.environ, streams: bool = False
) -> Endpoint:
    """AWS's own endpoint in a region."""
    domain = next(
        (domain for start, domain in _DOMAINS.items() if region.startswith(start)), "amazonaws.com"
    )
    fips = environment.get("AWS_USE_FIPS_ENDPOINT", "").lower() == "true"
    if streams and region.startswith("us-gov-"):
        fips = False  # the usual host is the certified one there
    service = "dynamodb-fips" if fips else "dynamodb"
    host = f"{service}.{region}.{domain}"
    return Endpoint(f"streams.{host}" if streams else host, 443, True)


def region_of(endpoint: Endpoint) -> str | None:
    """The region in the name of one of AWS's hosts."""
    service, _, rest = endpoint.host.partition(".")
    region, _, domain = rest.partition(".")
    known = domain == "amazonaws.com" or domain in _DOMAINS.values()
    return region if known and service in ("dynamodb", "dynamodb-fips") else None


def with_proxy(endpoint: Endpoint, environment: Mapping[str, str] = os.environ) -> Endpoint:
    """The endpoint, reached through the proxy that the environment names, if it names one.

    As everywhere, ``HTTPS_PROXY``, ``HTTP_PROXY`` and ``NO_PROXY`` in either case. What is on this
    machine never needs a proxy. ``HTTP_PROXY`` in upper case is left alone in a CGI script, where
    a client can set it.
    """
    scheme = "https" if endpoint.secure else "http"
    url = environment.get(f"{scheme}_proxy") or environment.get(f"{scheme.upper()}_PROXY")
    if scheme == "http" and "REQUEST_METHOD" in environment:
        url = environment.get("http_proxy")
    excluded = environment.get("no_proxy") or environment.get("NO_PROXY") or ""
    if not url or endpoint.local or _excludes(excluded, endpoint):
        return endpoint
    return Endpoint(endpoint.host, endpoint.port, endpoint.secure, _proxy(url))


def _excludes(no_proxy: str, endpoint: Endpoint) -> bool:
    for entry in filter(None, map(str.strip, no_proxy.lower().split(","))):
        name = entry.removeprefix("*").removeprefix(".")
        if entry == "*" or name in (endpoint.host, f"{endpoint.host}:{endpoint.port}"):
            return True
        if name and endpoint.host.endswith("." + name):
            return True
    return False


def _proxy(url: str) -> Proxy:
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.scheme != "http" or not parts.hostname:
        raise RequestError(
            f"The proxy {parts.scheme}://{parts.hostname} cannot be used: only http:// proxies "
            "can. Set HTTPS_PROXY to one, or exclude the endpoint with NO_PROXY."
        )
    authorization = None
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = "Basic " + b64encode(pair.encode()).decode()
    return Proxy(parts.hostname, parts.port or 8080, authorization)
