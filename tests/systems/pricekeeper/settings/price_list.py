"""A server that publishes prices as AWS does: an index of regions, and one document for each.

Documents have the form of the bulk Price List: products by SKU with attributes, and terms on demand
with one price dimension. ``faults`` happen to the next answers, one after the other.
"""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import orjson

VERSION = "20261119225550"
SINCE = "2026-11-10T00:00:00Z"


class Book:
    """What is published, by offer; and what goes wrong next."""

    def __init__(self, region: str = "us-east-1") -> None:
        self.region = region
        self.documents: dict[str, dict[str, Any]] = {}
        self.faults: list[str] = []
        self.asked: list[str] = []

    def own(self, model: str, usage: str, kind: str, dollars: str, **said: str) -> None:
        """A rate of one of AWS's own models, for a thousand tokens."""
        said = {
            "servicecode": "AmazonBedrock",
            "location": "US East (N. Virginia)",
            "locationType": "AWS Region",
            "regionCode": self.region,
            "provider": "Amazon",
            "feature": "On-demand Inference",
            "model": model,
            "inferenceType": kind,
            "usagetype": f"USE1-{usage}",
            "operation": "",
            "servicename": "Amazon Bedrock",
            **said,
        }
        self._add("AmazonBedrock", "Amazon Bedrock", said, "1K tokens", dollars)

    def marketplace(self, model: str, usage: str, dollars: str, unit: str = "1M tokens") -> None:
        """A rate of somebody else's model, for a million."""
        said = {
            "servicecode": "AmazonBedrockFoundationModels",
            "regionCode": self.region,
            "usagetype": f"USE1-MP:USE1_{usage}-Units",
            "operation": "Usage",
            "servicename": f"{model} (Amazon Bedrock Edition)",
        }
        self._add("AmazonBedrockFoundationModels", "Amazon Bedrock", said, unit, dollars)

    def _add(self, offer: str, family: str, said: dict[str, str], unit: str, usd: str) -> None:
        document = self.documents.setdefault(
            offer,
            {
                "formatVersion": "v1.0",
                "offerCode": offer,
                "version": VERSION,
                "publicationDate": "2026-11-19T22:55:50Z",
                "products": {},
                "terms": {"OnDemand": {}},
            },
        )
        sku = f"SKU{len(document['products']):013d}"
        rate = f"{sku}.JRTCKXETXF"
        document["products"][sku] = {"sku": sku, "productFamily": family, "attributes": said}
        document["terms"]["OnDemand"][sku] = {
            rate: {
                "offerTermCode": "JRTCKXETXF",
                "sku": sku,
                "effectiveDate": SINCE,
                "priceDimensions": {
                    f"{rate}.6YS6EN2CT7": {
                        "rateCode": f"{rate}.6YS6EN2CT7",
                        "unit": unit,
                        "beginRange": "0",
                        "endRange": "Inf",
                        "description": f"${usd} per {unit}",
                        "appliesTo": [],
                        "pricePerUnit": {"USD": usd},
                    }
                },
                "termAttributes": {},
            }
        }

    def answer(self, path: str) -> tuple[int, bytes]:
        parts = path.strip("/").split("/")
        document = self.documents.get(parts[3]) if len(parts) > 3 else None
        if document is None:
            return 403, b"<Error><Code>AccessDenied</Code></Error>"
        if parts[4:] == ["current", "region_index.json"]:
            where = f"/offers/v1.0/aws/{parts[3]}/{VERSION}/{self.region}/index.json"
            regions = {self.region: {"regionCode": self.region, "currentVersionUrl": where}}
            return 200, orjson.dumps({"formatVersion": "v1.0", "regions": regions})
        if parts[4:] == [VERSION, self.region, "index.json"]:
            return 200, orjson.dumps(document)
        return 404, b""


@contextmanager
def published(book: Book) -> Iterator[str]:
    """The address at which the book can be read."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            book.asked.append(self.path)
            fault = book.faults.pop(0) if book.faults else ""
            if fault == "drop":
                self.close_connection = True
                return
            if fault == "slow":
                time.sleep(1.0)
            status, body = book.answer(self.path)
            if fault.isdigit():
                status, body = int(fault), b"{}"
            if fault == "cut":
                body = body[: len(body) // 2]
            if fault == "list":
                body = b"[]"
            self._send(status, gzip.compress(body))

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            if status == 302:
                self.send_header("Location", "http://127.0.0.1:9/offers")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
