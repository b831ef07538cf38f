"""What the stand-in answers: NewsAPI's documents, statuses and codes, and faults in between."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import orjson

from tablewright.systems.sentiment.rules.records import Record
from tablewright.systems.sentiment.stand_in.articles import (
    Article,
    BadQuery,
    article_of,
    published,
    query,
    words_of,
)

PATH = "/v2/everything"
CONTROL = "/_control"
#: Results that a key without a plan is given of one question.
MOST_RESULTS = 100
_STATUS = {
    "apiKeyInvalid": 401,
    "apiKeyMissing": 401,
    "maximumResultsReached": 426,
    "parameterInvalid": 400,
    "parametersMissing": 400,
    "rateLimited": 429,
    "unexpectedError": 500,
}


@dataclass(frozen=True)
class Fault:
    """What goes wrong with an answer.

    ``status`` 500, 429 or 401 instead of 200; ``broken`` is cut in the middle; ``drop`` closes the
    connection without an answer; ``slow`` seconds pass before it.
    """

    status: int | None = None
    retry_after: str | None = None
    slow: float = 0.0
    broken: bool = False
    drop: bool = False


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: Fault = Fault()


class StandIn:
    """What is known, what goes wrong next, and what was asked. It may be used by many threads."""

    def __init__(
        self,
        records: Iterable[Record] = (),
        *,
        key: str = "stand-in",
        daily_limit: int | None = None,
        most_results: int = MOST_RESULTS,
    ) -> None:
        self.key = key
        self.articles: list[Article] = [article_of(each) for each in records]
        #: For the next answers, one after the other; ``always`` for all after these.
        self.faults: list[Fault] = []
        self.always: Fault | None = None
        #: The parameters of all questions; the key is never among them.
        self.asked: list[dict[str, str]] = []
        self._daily_limit = daily_limit
        self._most_results = most_results
        self._lock = threading.Lock()

    def add(self, *records: Record) -> None:
        with self._lock:
            self.articles += [article_of(each) for each in records]

    # --- questions -------------------------------------------------------------------------------

    def answer(self, wanted: Mapping[str, str], key: str | None) -> Answer:
        """What ``/v2/everything`` says."""
        with self._lock:
            self.asked.append({name: text for name, text in wanted.items() if name != "apiKey"})
            fault = self.faults.pop(0) if self.faults else self.always or Fault()
            if fault.status is not None:
                return _faulty(fault)
            return self._answer(wanted, key or wanted.get("apiKey"), fault)

    def _answer(self, wanted: Mapping[str, str], key: str | None, fault: Fault) -> Answer:
        if key is None:
            return _error("apiKeyMissing", "Your API key is missing.", fault)
        if key != self.key:
            return _error("apiKeyInvalid", "Your API key is invalid or incorrect.", fault)
        if self._daily_limit is not None and len(self.asked) > self._daily_limit:
            return _error("rateLimited", "You have made too many requests recently.", fault)
        try:
            return self._page(wanted, fault)
        except (BadQuery, ValueError) as error:
            return _error("parameterInvalid", f"A parameter is not valid: {error}", fault)

    def _page(self, wanted: Mapping[str, str], fault: Fault) -> Answer:
        if not wanted.get("q"):
            return _error("parametersMissing", "Required parameters are missing.", fault)
        size, page = int(wanted.get("pageSize", "100")), int(wanted.get("page", "1"))
        if not 1 <= size <= 100 or page < 1 or len(wanted["q"]) > 500:
            raise ValueError("pageSize, page or q is out of bounds")
        start = (page - 1) * size
        if start >= self._most_results:
            told = f"You are limited to a max of {self._most_results} results."
            return _error("maximumResultsReached", told, fault)
        found = self._found(wanted)
        shown = found[start : min(start + size, self._most_results)]
        body = {"status": "ok", "totalResults": len(found), "articles": shown}
        return Answer(200, orjson.dumps(body), fault=fault)

    def _found(self, wanted: Mapping[str, str]) -> list[Article]:
        test = query(wanted["q"])
        since, until = _moment(wanted.get("from")), _moment(wanted.get("to"))
        found = [each for each in self.articles if test(words_of(each))]
        timed = [(published(each), each) for each in found]
        inside = [
            (at, each)
            for at, each in timed
            if at is None or ((since is None or at >= since) and (until is None or at <= until))
        ]
        oldest = datetime.min.replace(tzinfo=UTC)
        inside.sort(key=lambda pair: pair[0] or oldest, reverse=True)
        return [each for _, each in inside]

    # --- control ---------------------------------------------------------------------------------

    def control(self, body: bytes) -> Answer:
        """``{"faults": [{"status": 500}], "always": null, "articles": [...]}``; all may lack."""
        try:
            wanted = orjson.loads(body)
            faults = [Fault(**each) for each in wanted.get("faults", [])]
            always = Fault(**wanted["always"]) if wanted.get("always") else None
            articles = [dict(each) for each in wanted.get("articles", [])]
        except (ValueError, TypeError, AttributeError) as error:
            return Answer(400, orjson.dumps({"status": "error", "message": str(error)}))
        with self._lock:
            self.faults += faults
            if "always" in wanted:
                self.always = always
            self.articles += articles
            told = {"status": "ok", "asked": len(self.asked), "articles": len(self.articles)}
        return Answer(200, orjson.dumps(told))


def _moment(text: str | None) -> datetime | None:
    """A day or a moment; without a zone it is UTC."""
    if not text:
        return None
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _faulty(fault: Fault) -> Answer:
    codes = {401: "apiKeyInvalid", 429: "rateLimited", 400: "parameterInvalid"}
    told = _error(codes.get(fault.status or 500, "unexpectedError"), "As was asked for.", fault)
    headers = {} if fault.retry_after is None else {"Retry-After": fault.retry_after}
    return Answer(fault.status or told.status, told.body, headers, fault)


def _error(code: str, text: str, fault: Fault) -> Answer:
    body: dict[str, Any] = {"status": "error", "code": code, "message": text}
    return Answer(_STATUS[code], orjson.dumps(body), fault=fault)
