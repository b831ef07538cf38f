"""A hackathon that was analysed and is ready to be judged, and the browsers of its judges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape

from tests.console.support import Browser
from tests.systems.vibejudge.judging.support import RUBRIC, analysed
from tests.systems.vibejudge.pages.support import BASE, Court, as_role

from tablewright.systems.vibejudge.entities import Submission

#: What somebody could call themselves, or write.
HOSTILE = '<img src=x onerror="alert(1)">'
_LINK = re.compile(r'<code id="[^"]*">([^<]*/vibejudge/invitations/[^<]+)</code>')


@dataclass(frozen=True)
class Bench:
    """A hackathon of its own for each test."""

    court: Court
    hack_id: str
    submissions: Sequence[Submission]

    @property
    def judging(self) -> str:
        return f"{BASE}/hackathons/{self.hack_id}/judging"

    @property
    def desk(self) -> str:
        return f"{BASE}/desk/{self.hack_id}"

    def team(self, sub_id: str) -> str:
        return next(each.team_name for each in self.submissions if each.sub_id == sub_id)

    def invited(self, organizer: Browser, name: str) -> str:
        """The path of an invitation that the organiser makes on the page."""
        answer = organizer.post(f"{self.judging}/judges", {"name": name})
        assert answer.status_code == 201, answer.text
        found = _LINK.search(answer.text)
        assert found is not None
        return unescape(found[1]).removeprefix(self.court.service.url)

    @contextmanager
    def judge(self, organizer: Browser, name: str) -> Iterator[Browser]:
        """The browser of somebody who was invited and has come."""
        link = self.invited(organizer, name)
        with as_role(self.court, "") as browser:
            answer = browser.client.post(link)
            assert (answer.status_code, answer.headers["location"]) == (303, self.desk)
            yield browser

    def opened(self, organizer: Browser, method: str = "rubric") -> None:
        """A round that judges can work in."""
        organizer.post(f"{self.judging}/rounds", {"method": method, "weight": "1"})
        organizer.post(f"{self.judging}/rounds/1/open", {})


def bench_of(court: Court, *scores: str) -> Bench:
    """Agents gave its submissions these scores."""
    made = court.planned("Judged Jam", rubric=RUBRIC, min_reviews=1)
    found = [court.do(analysed(court.courtroom, made, score)) for score in scores]
    return Bench(court, made.hack_id, found)


def flashed(browser: Browser, path: str) -> str:
    """What a page says once, after something was done."""
    text = browser.get(path).text
    found = re.search(r'<div role="status">\s*<div class="notice.*?<p>(.*?)</p>', text, re.DOTALL)
    return unescape(found[1]) if found else ""
