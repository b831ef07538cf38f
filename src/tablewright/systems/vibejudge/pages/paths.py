"""Where pages are, and who may do what on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

BASE: Final = "/vibejudge"
#: The organiser's own; ``BASE`` alone leads everybody to what is theirs.
HACKATHONS: Final = f"{BASE}/hackathons"
NEW: Final = f"{HACKATHONS}/new"
GALLERY: Final = f"{BASE}/gallery"
REGISTER: Final = f"{BASE}/register"
SETTINGS: Final = f"{BASE}/settings"
DESK: Final = f"{BASE}/desk"
#: Whose pages those of a hackathon are; what they see is decided by whose hackathon it is.
ORGANIZERS: Final = ("organizer", "admin")

#: What every page of a hackathon leads to: titles, and what follows its path.
TABS: Final[Sequence[tuple[str, str]]] = (
    ("Overview", ""),
    ("Submissions", "/submissions"),
    ("Run", "/run"),
    ("Leaderboard", "/leaderboard"),
    ("Costs", "/costs"),
    ("Judging", "/judging"),
    ("Edit", "/edit"),
)


def hackathon_path(hack_id: str) -> str:
    return f"{HACKATHONS}/{hack_id}"


def tab_path(hack_id: str, title: str) -> str:
    """One of ``TABS``: ``tab_path(h, "Run")``."""
    return hackathon_path(hack_id) + dict(TABS)[title]


def scorecard_path(hack_id: str, sub_id: str) -> str:
    return f"{HACKATHONS}/{hack_id}/submissions/{sub_id}"


def gallery_path(hack_id: str) -> str:
    """What everybody sees of a public hackathon."""
    return f"{GALLERY}/{hack_id}"


def desk_path(hack_id: str) -> str:
    """Where a judge works."""
    return f"{DESK}/{hack_id}"


def round_path(hack_id: str, number: int) -> str:
    return f"{HACKATHONS}/{hack_id}/judging/rounds/{number}"


def judge_path(hack_id: str, judge_id: str) -> str:
    return f"{HACKATHONS}/{hack_id}/judging/judges/{judge_id}"


def appeal_path(hack_id: str, sub_id: str) -> str:
    return f"{HACKATHONS}/{hack_id}/judging/appeals/{sub_id}"


def invitation_path(token: str) -> str:
    """What a judge's invitation leads to."""
    return f"{BASE}/invitations/{quote(token, safe='.')}"


def result_path(token: str) -> str:
    """A team's own page; who has its address has all that the team has."""
    return f"{BASE}/results/{quote(token, safe='.')}"
