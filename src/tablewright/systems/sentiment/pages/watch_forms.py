"""Following a topic and changing its rule; trying the rule first, on the latest articles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.forms import Typed, built, typed
from tablewright.service.limits import Rate
from tablewright.service.merging import merged, packed
from tablewright.service.pages import Pages
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.bodies.watch import RuleIn, TopicEdit, TopicIn
from tablewright.systems.sentiment.config import Watch
from tablewright.systems.sentiment.pages.paths import item_path
from tablewright.systems.sentiment.pages.watch import TOPICS
from tablewright.systems.sentiment.rules.marking import Part, marked
from tablewright.systems.sentiment.rules.tags import WRONG

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom
    from tablewright.systems.sentiment.service.watches import Hit

#: Each reads some hundred articles; the API and the pages count together.
_TRIALS = Rate(30)
#: Articles that a trial shows of those that it finds.
_SHOWN_HITS = 25
#: One term a line.
_LISTS = ("any", "all", "none")
_WORDS = {
    "any": "one of these is enough",
    "all": "all of these, too",
    "none": "none of these",
    "tag": "name",
    "enabled": "followed",
}

R = TypeVar("R", bound=RuleIn)


def values_of(topic: Watch) -> dict[str, str]:
    """A topic as its form shows it."""
    return {
        "tag": topic.label,
        **{name: "\n".join(getattr(topic, name)) for name in _LISTS},
        "priority": str(topic.priority),
        "enabled": "1" if topic.enabled else "",
    }


def read_topic(values: Typed, kind: type[R]) -> R:
    """The body that a form makes, or a problem at its fields."""
    given: dict[str, object] = {name: _terms(values.get(name, "")) for name in _LISTS}
    given["priority"] = values.get("priority", "") or "100"
    given["enabled"] = values.get("enabled") == "1"
    if "tag" in kind.model_fields:
        given["tag"] = values.get("tag", "")
    try:
        return built(kind, given)
    except Problem as problem:
        raise _at_its_list(problem) from None


def _terms(text: str) -> list[str]:
    """One a line; what is there twice counts once."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    return list(dict.fromkeys(line for line in lines if line))


def _at_its_list(problem: Problem) -> Problem:
    """What is wrong with a term stands at the list that it is in."""
    errors = [_at_field(each) for each in problem.errors]
    return Problem(problem.status, problem.code, problem.detail, errors=errors)


def _at_field(error: FieldError) -> FieldError:
    place, _, number = error.field.removeprefix("body.").partition(".")
    if place in _LISTS and number.isdigit():
        return FieldError(f"body.{place}", f"Line {int(number) + 1}: {error.message}")
    if place == "tag":
        return FieldError("body.tag", WRONG)
    return error


def _words(field: str) -> str:
    return _WORDS.get(field, field)


def _at_the_name(problem: Problem) -> Problem:
    """A name that is taken is wrong at its field."""
    if problem.code != "TAG_EXISTS":
        return problem
    error = FieldError("body.tag", "There is a topic of this name.")
    return Problem(problem.status, problem.code, problem.detail, errors=[error])


# --- what a rule would find ----------------------------------------------------------------------


@dataclass(frozen=True)
class HitLine:
    """An article that the rule finds, its words marked."""

    article: Article
    title: list[Part]
    text: list[Part]

    @property
    def path(self) -> str:
        return item_path(self.article.source_id)


@dataclass(frozen=True)
class TrialShown:
    """What a rule finds, as the page shows it."""

    looked_at: int
    found: int
    lines: list[HitLine]


def hit_line(hit: Hit) -> HitLine:
    article = hit.article
    return HitLine(
        article,
        marked(article.metadata.title, hit.terms),
        marked(article.text_snippet, hit.terms),
    )


async def tried(newsroom: Newsroom, rule: RuleIn, who: Principal) -> TrialShown:
    await newsroom.runtime.limits.check("trials", who.id, _TRIALS)
    trial = await newsroom.watches.test(rule)
    lines = [hit_line(each) for each in trial.hits[:_SHOWN_HITS]]
    return TrialShown(trial.looked_at, len(trial.hits), lines)


# --- routes --------------------------------------------------------------------------------------


def router(newsroom: Newsroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/watch")
    analyst = Depends(newsroom.runtime.auth.require("analyst", "admin"))

    def shown(
        request: Request, topic: Watch | None, *, status: int = 200, **context: object
    ) -> Response:
        first = values_of(topic) if topic else {"enabled": "1", "priority": "100"}
        given: dict[str, object] = {
            "topic": topic,
            "first": first,
            "seen": packed(first),
            "version": topic.version if topic else "",
            "trial": None,
            "crumbs": [("Topics", TOPICS)],
        }
        return pages.render(
            request, "sentiment/watch_form.html", status=status, **{**given, **context}
        )

    @routes.get("/new")
    async def new(request: Request, who: Principal = analyst) -> Response:
        return shown(request, None)

    @routes.post("/new")
    async def create(request: Request, who: Principal = analyst) -> Response:
        values = await typed(request)
        try:
            topic = await newsroom.watches.create(read_topic(values, TopicIn), who)
        except Problem as problem:
            told = _at_the_name(problem)
            return shown(request, None, status=told.status, problem=told, values=values)
        return pages.done(request, TOPICS, f"{topic.label} is followed from now on.")

    @routes.post("/test")
    async def test(request: Request, who: Principal = analyst) -> Response:
        """What a rule would find: a part below the form, or the form again with it."""
        values = await typed(request)
        topic = await newsroom.watches.get(values["editing"]) if values.get("editing") else None
        found: dict[str, object]
        try:
            found = {"trial": await tried(newsroom, read_topic(values, RuleIn), who)}
        except Problem as problem:
            found = {"trial": None, "problem": problem}
        if request.headers.get("hx-request"):
            # htmx shows nothing of what is refused: what is wrong is the answer here.
            return pages.render(request, "sentiment/watch_trial.html", status=200, **found)
        return shown(request, topic, status=200, values=values, **_kept(values), **found)

    @routes.get("/{tag}/edit")
    async def edit(request: Request, tag: str, who: Principal = analyst) -> Response:
        return shown(request, await newsroom.watches.get(tag))

    @routes.post("/{tag}/edit")
    async def save(request: Request, tag: str, who: Principal = analyst) -> Response:
        values = await typed(request)
        seen = Precondition(if_match=f'"{values.get("version", "")}"')
        try:
            topic = await newsroom.watches.save(tag, read_topic(values, TopicEdit), who, seen)
        except Problem as problem:
            topic = await newsroom.watches.get(tag)
            if problem.status == 412:
                told = {**values, "enabled": values.get("enabled", "")}
                clash = merged(told, values_of(topic), words=_words, besides=("editing",))
                return shown(request, topic, status=412, values=clash.values, clash=clash)
            again: Mapping[str, object] = {"problem": problem, "values": values, **_kept(values)}
            return shown(request, topic, status=problem.status, **again)
        message = f"{topic.label} is saved. It holds for what comes in from now on."
        return pages.done(request, TOPICS, message)

    return routes


def _kept(values: Typed) -> dict[str, object]:
    """What a form has to carry on: which state its author has seen."""
    if not values.get("version"):
        return {}
    return {name: values.get(name, "") for name in ("version", "seen")}
