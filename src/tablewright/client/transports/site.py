"""What a transport over HTTP is set up with: endpoints, region, credentials."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping

from tablewright.client.transports import endpoints
from tablewright.client.transports.credentials import (
    Credentials,
    Source,
    find_credentials,
    find_region,
)
from tablewright.client.transports.endpoints import Endpoint
from tablewright.client.transports.exchange import Exchange


class Site:
    """A DynamoDB to talk to: on AWS, or wherever an endpoint says.

    Everything that only needs files is settled here, so that a missing region is heard of at once.
    Credentials are looked for when the first request needs them.
    """

    def __init__(
        self,
        endpoint_url: str | None = None,
        region: str | None = None,
        credentials: Credentials | Source | None = None,
        *,
        profile: str | None = None,
        environment: Mapping[str, str] = os.environ,
        now: Callable[[], float] = time.time,
    ) -> None:
        url = endpoint_url or endpoints.configured(environment)
        given = None if url is None else endpoints.parse(url)
        local = given is not None and given.local
        named = None if given is None else endpoints.region_of(given)
        self.region = find_region(
            region or named, profile=profile, local=local, environment=environment
        )
        self.credentials = find_credentials(
            credentials, profile=profile, local=local, environment=environment
        )
        main = given or endpoints.regional(self.region, environment)
        streams = self._streams(endpoint_url, given, environment)
        #: How requests to the database are made, and those to its streams: often the same.
        self.main = Exchange(endpoints.with_proxy(main, environment), self.region, now)
        self.streams = self.main
        if streams != main:
            self.streams = Exchange(endpoints.with_proxy(streams, environment), self.region, now)

    def _streams(
        self, endpoint_url: str | None, given: Endpoint | None, environment: Mapping[str, str]
    ) -> Endpoint:
        url = None if endpoint_url else endpoints.configured(environment, streams=True)
        if url is not None:
            return endpoints.parse(url)
        if given is None:
            return endpoints.regional(self.region, environment, streams=True)
        if endpoints.region_of(given) is None:
            return given  # one server for both
        return Endpoint(f"streams.{given.host}", given.port, given.secure)
