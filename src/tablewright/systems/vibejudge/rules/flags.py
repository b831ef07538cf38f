"""Flags of a scorecard, in words. A flag is for people to look into; it takes no points."""

from __future__ import annotations

_WORDS = {
    "human_review": "A person should look: the agents are not sure.",
    "all_high": "Every sub-score is at 9 or above, which is rare.",
    "commits_outside_dates": "Commits outside the dates of the hackathon: {}.",
    "far_from_static": "The model and the fixed rules differ by more than 4 points: {}.",
    "all_equal": "All sub-scores of {} are equal, as if it had not looked.",
    "false_citations": "Much of what {} cites is not in the repository.",
    "injection": "Text that speaks to the grader: {}.",
    "similar": "Code that resembles that of {}.",
}
_OF_ONE_AGENT = {"all_high": "Every sub-score of {} is at 9 or above, which is rare."}


def said(flag: str) -> str:
    """A sentence for a flag; one that nobody has words for is shown as it is."""
    kind, _, about = flag.partition(":")
    words = (_OF_ONE_AGENT if about else {}).get(kind) or _WORDS.get(kind)
    if words is None:
        return flag
    return words.format(_about(kind, about)) if about else words.format("?")


def _about(kind: str, about: str) -> str:
    if kind == "similar":
        return about
    if kind != "injection":
        agent, of_it, score = about.replace("_", " ").partition(".")
        return f"{score} ({agent})" if of_it else agent
    how, _, place = about.partition(":")
    return f"{how.replace('_', ' ')} in {place}"
