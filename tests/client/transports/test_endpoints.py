"""Endpoints: AWS's as botocore has them, given ones, proxies."""

from __future__ import annotations

import botocore.session
import pytest
from botocore.config import Config

from tablewright.client.transports import endpoints
from tablewright.client.transports.endpoints import Endpoint, Proxy
from tablewright.client.transports.site import Site
from tablewright.model.errors import CredentialsError, RequestError

KEYS = {"AWS_ACCESS_KEY_ID": "AK", "AWS_SECRET_ACCESS_KEY": "SK"}
IRELAND = {**KEYS, "AWS_REGION": "eu-west-1"}


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("fips", [False, True])
def test_regional_endpoints_are_botocores(streams: bool, fips: bool) -> None:
    session = botocore.session.Session()
    service = "dynamodbstreams" if streams else "dynamodb"
    checked = 0
    for partition in session.get_available_partitions():
        # One or two of a partition will do: making a client takes its time.
        for region in session.get_available_regions(service, partition)[:2]:
            client = session.create_client(
                service,
                region_name=region,
                aws_access_key_id="AK",
                aws_secret_access_key="SK",
                config=Config(use_fips_endpoint=fips),
            )
            environment = {"AWS_USE_FIPS_ENDPOINT": str(fips).lower()}
            found = endpoints.regional(region, environment, streams=streams)
            assert found.url == client.meta.endpoint_url
            checked += 1
    assert checked > 8


def test_where_requests_go() -> None:
    def urls(url: str | None = None, **environment: str) -> tuple[str, str, str]:
        site = Site(url, environment={**KEYS, **environment})
        return site.region, site.main.endpoint.url, site.streams.endpoint.url

    aws = "eu-west-1", "https://dynamodb.eu-west-1.amazonaws.com"
    streams = "https://streams.dynamodb.eu-west-1.amazonaws.com"
    assert urls(AWS_REGION="eu-west-1") == (*aws, streams)
    assert urls(AWS_DEFAULT_REGION="eu-west-1") == (*aws, streams)
    assert urls(aws[1]) == (*aws, streams)  # the region is in the name
    here = "http://127.0.0.1:8000"
    assert urls(here) == ("us-east-1", here, here)
    assert urls(AWS_ENDPOINT_URL=here) == ("us-east-1", here, here)
    there = "http://db.example:8000"
    both = {"AWS_ENDPOINT_URL": here, "AWS_ENDPOINT_URL_DYNAMODB": there, "AWS_REGION": "eu-west-1"}
    assert urls(**both) == ("eu-west-1", there, here)
    assert urls(here, **both) == ("eu-west-1", here, here)
    assert urls(AWS_IGNORE_CONFIGURED_ENDPOINT_URLS="true", **both) == (*aws, streams)


def test_regions_that_are_none() -> None:
    with pytest.raises(CredentialsError, match="not the name of a region"):
        Site(region="evil.example/", environment=KEYS)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:8000",
        "ftp://x",
        "http://",
        "http://h:99999",
        "http://a..b",
        "http://a b",
        "http://h\r\nX: y",
        "http://h/path",
        "http://u:p@h",
        "http://h?q",
        "http://ü.example",
    ],
)
def test_urls_that_are_no_endpoints(url: str) -> None:
    with pytest.raises(RequestError, match="endpoint"):
        endpoints.parse(url)


@pytest.mark.parametrize(
    ("url", "authority", "local"),
    [
        ("http://localhost:8000/", "localhost:8000", True),
        ("http://127.0.0.9", "127.0.0.9", True),
        ("http://[::1]:80", "[::1]", True),
        ("https://DB.Example:443", "db.example", False),
        ("https://db.example:80", "db.example:80", False),
        ("http://10.0.0.1:8000", "10.0.0.1:8000", False),
    ],
)
def test_urls(url: str, authority: str, local: bool) -> None:
    endpoint = endpoints.parse(url)
    assert (endpoint.authority, endpoint.local) == (authority, local)


def proxy_of(url: str, **environment: str) -> Proxy | None:
    return endpoints.with_proxy(endpoints.parse(url), environment).proxy


def test_proxies() -> None:
    aws = "https://dynamodb.eu-west-1.amazonaws.com"
    here = Proxy("proxy.example", 3128)
    assert proxy_of(aws) is None
    assert proxy_of(aws, HTTPS_PROXY="http://proxy.example:3128") == here
    assert proxy_of(aws, https_proxy="proxy.example:3128") == here
    assert proxy_of(aws, HTTP_PROXY="http://proxy.example:3128") is None
    assert proxy_of("http://db.example", HTTP_PROXY="http://proxy.example:3128") == here
    cgi = {"HTTP_PROXY": "http://evil.example", "REQUEST_METHOD": "POST"}
    assert proxy_of("http://db.example", **cgi) is None
    assert proxy_of("http://localhost:8000", HTTP_PROXY="http://proxy.example:3128") is None
    assert proxy_of(aws, HTTPS_PROXY="http://me:s%40fe@p:1") == Proxy("p", 1, "Basic bWU6c0BmZQ==")
    with pytest.raises(RequestError, match="NO_PROXY"):
        proxy_of(aws, HTTPS_PROXY="socks5://proxy.example")


@pytest.mark.parametrize(
    ("excluded", "goes_through"),
    [
        ("*", False),
        ("amazonaws.com", False),
        (".amazonaws.com", False),
        ("*.amazonaws.com", False),
        ("x.example, dynamodb.eu-west-1.amazonaws.com:443", False),
        ("zonaws.com", True),
        ("dynamodb.eu-west-1.amazonaws.com:80", True),
        (" ,", True),
    ],
)
def test_what_needs_no_proxy(excluded: str, goes_through: bool) -> None:
    found = proxy_of(
        "https://dynamodb.eu-west-1.amazonaws.com", HTTPS_PROXY="http://p:1", NO_PROXY=excluded
    )
    assert (found is not None) is goes_through


def test_an_endpoint_keeps_its_port() -> None:
    assert Endpoint("::1", 8000, secure=False).url == "http://[::1]:8000"
