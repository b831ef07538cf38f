"""Flags of a scorecard, in words. A flag is for people to look into; it takes no points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

_WORDS = {
    "human_review": "A person should look: the agents are not sure.",
    "all_high": "Every sub-score is at 9 or above, which is rare.",
    "commits_outside_dates": "Commits outside the dates of the hackathon: {}.",
    "far_from_static": "The model and the fixed rules differ by more than 4 points: {}.",
    "all_equal": "All sub-scores of {} are equal, as if it had not looked.",
    "false_citations": "Much of what {} cites is not in the repository.",
    "static_fallback": "The fixed rules judged instead of the model: {}.",
    "injection": "Text that speaks to the grader: {}.",
    "similar": "Code that is the same as another submission's by {} %.",
}
#: Kinds of which a scorecard may have one for each sub-score.
_TOGETHER = frozenset({"far_from_static", "static_fallback"})
_WHY = {
    "throttled": "the provider throttled the requests",
    "bad_answer": "its answer could not be read",
    "false_citations": "what it cites is not in the repository",
    "timeout": "it did not answer in time",
    "lost": "its answer was lost",
    "unreachable": "the provider could not be reached",
    "provider_error": "the provider had an error",
    "refused": "the provider refused the request",
}
_OF_ONE_AGENT = {"all_high": "Every sub-score of {} is at 9 or above, which is rare."}


class Similar(NamedTuple):
    """What a flag tells of another submission."""

    sub_id: str
    percent: int


def similar(sub_id: str, similarity: Decimal) -> str:
    """The flag of a submission whose code is that of another one by so much."""
    return f"similar:{sub_id}:{100 * similarity:.0f}"


def similar_in(flags: Iterable[str]) -> list[Similar]:
    """The submissions that flags tell of."""
    told = (each.split(":") for each in flags if kind_of(each) == "similar")
    return [Similar(sub_id, int(percent)) for _, sub_id, percent in told]


def kind_of(flag: str) -> str:
    return flag.partition(":")[0]


def said(flag: str) -> str:
    """A sentence for a flag; one that nobody has words for is shown as it is."""
    kind, _, about = flag.partition(":")
    words = (_OF_ONE_AGENT if about else {}).get(kind) or _WORDS.get(kind)
    if words is None:
        return flag
    return words.format(_about(kind, about)) if about else words.format("?")


def sentences(flags: Iterable[str]) -> list[str]:
    """The same for all flags of a scorecard; what is said of many sub-scores is said once."""
    kinds: dict[str, list[str]] = {}
    for flag in flags:
        kind = kind_of(flag)
        kinds.setdefault(kind if kind in _TOGETHER else flag, []).append(flag)
    return [
        said(found[0]) if len(found) == 1 else _together(kind, found)
        for kind, found in kinds.items()
    ]


def _together(kind: str, flags: Sequence[str]) -> str:
    return _WORDS[kind].format(", ".join(_about(kind, each.partition(":")[2]) for each in flags))


def _about(kind: str, about: str) -> str:
    if kind == "similar":
        return about.rpartition(":")[2]
    if kind == "static_fallback":
        agent, _, why = about.partition(":")
        return f"{agent.replace('_', ' ')} ({_WHY.get(why, why.replace('_', ' '))})"
    if kind != "injection":
        agent, of_it, score = about.replace("_", " ").partition(".")
        return f"{score} ({agent})" if of_it else agent
    how, _, place = about.partition(":")
    return f"{how.replace('_', ' ')} in {place}"
