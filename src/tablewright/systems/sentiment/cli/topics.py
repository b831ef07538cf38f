"""``watch ...``: the topics that are followed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cyclopts import App

from tablewright.service.commands import Answer, Desk, Line, columns
from tablewright.service.problems import FieldError, Problem, invalid, missing
from tablewright.service.typed import checked, facts, moment, number
from tablewright.service.wording import several
from tablewright.systems.sentiment.cli.given import Newsroom
from tablewright.systems.sentiment.cli.words import cut, example, listed

if TYPE_CHECKING:
    from tablewright.systems.sentiment.config import Watch

app = App(name="watch", help="Topics: which words make an article belong to one.")

Terms = list[str] | None
#: Hits of a rule that are shown; a program gets a hundred.
_SHOWN, _TOLD = 10, 100


@app.command(name="list", help_epilogue=example("watch list"))
async def list_topics(newsroom: Newsroom, /) -> Answer:
    """List all topics, with what each has found in the last 24 hours."""
    from tablewright.systems.sentiment.bodies.watch import topic_out

    found = await newsroom.watches.list()
    hits = await newsroom.watches.hits([each.watch_tag for each in found])
    told = [topic_out(each, hits[each.watch_tag]) for each in found]
    if not told:
        return Answer(["There is no topic yet: tablewright sentiment watch add"], [])
    rows = [
        (
            each.tag,
            "on" if each.enabled else "paused",
            str(each.priority),
            number(each.hits_24h or 0),
            cut(_rule(each.any, each.all, each.none), 60),
        )
        for each in told
    ]
    head = ("topic", "state", "priority", "24 h", "words")
    lines = columns(head, rows, {"priority", "24 h"})
    return Answer(lines, [each.model_dump(mode="json") for each in told])


@app.command(help_epilogue=example("watch show AI"))
async def show(newsroom: Newsroom, /, tag: str) -> Answer:
    """Show one topic.

    Parameters
    ----------
    tag
        Its tag, in any case.
    """
    return await _shown(newsroom, await _topic(newsroom, tag))


@app.command(help_epilogue=example("watch add AI --any 'artificial intelligence' --any AI"))
async def add(
    newsroom: Newsroom,
    desk: Desk,
    /,
    tag: str,
    *,
    any: Terms = None,
    all: Terms = None,
    none: Terms = None,
    priority: int = 100,
    paused: bool = False,
) -> Answer:
    """Follow a topic. Its rule holds for what comes in from now on.

    Words are found whole, in any case; each option may be given several times.

    Parameters
    ----------
    tag
        Its name: letters, digits, - and _. If it has no --any, it is also what is looked for.
    any
        A word or phrase, of which one is enough.
    all
        One that has to be there, too.
    none
        One that must not be there.
    priority
        Of an article with more than five topics, those with low numbers stay.
    paused
        Do not follow it yet.
    """
    from tablewright.systems.sentiment.bodies.watch import TopicIn

    values = {
        "tag": tag,
        "any": any or [tag],
        "all": all or [],
        "none": none or [],
        "priority": priority,
        "enabled": not paused,
    }
    made = await newsroom.watches.create(checked(TopicIn, values), desk.by)
    return await _shown(newsroom, made, f"The topic {made.label} is followed.", hits=False)


@app.command(help_epilogue=example("watch edit AI --none 'AI Weiwei' --priority 10"))
async def edit(
    newsroom: Newsroom,
    desk: Desk,
    /,
    tag: str,
    *,
    any: Terms = None,
    all: Terms = None,
    none: Terms = None,
    clear: list[str] | None = None,
    priority: int | None = None,
    write: str | None = None,
) -> Answer:
    """Change a topic: what is not said stays as it is.

    Words that are given take the place of those that were there.

    Parameters
    ----------
    tag
        Its tag, in any case.
    any
        A word or phrase, of which one is enough; may be given several times.
    all
        One that has to be there, too.
    none
        One that must not be there.
    clear
        all or none: there is no such word any more.
    priority
        Of an article with more than five topics, those with low numbers stay.
    write
        Its tag in another case.
    """
    from tablewright.service.preconditions import Precondition
    from tablewright.systems.sentiment.bodies.watch import TopicEdit

    before = await _topic(newsroom, tag)
    values = {
        "tag": write or before.label,
        "any": any or before.any,
        "all": _terms("all", all, before.all, clear),
        "none": _terms("none", none, before.none, clear),
        "priority": before.priority if priority is None else priority,
        "enabled": before.enabled,
    }
    body = checked(TopicEdit, values)
    saved = await newsroom.watches.save(tag, body, desk.by, Precondition.seen(before.version))
    return await _shown(newsroom, saved, _what(before, saved), hits=False)


def _terms(
    name: str, given: list[str] | None, before: list[str], clear: list[str] | None
) -> list[str]:
    wrong = [each for each in clear or () if each not in ("all", "none")]
    if wrong:
        raise invalid(FieldError("--clear", f"{wrong[0]!r} is neither all nor none"))
    if name in (clear or ()):
        return given or []
    return given or before


@app.command(help_epilogue=example("watch pause AI"))
async def pause(newsroom: Newsroom, desk: Desk, /, tag: str) -> Answer:
    """Follow a topic no more for now; articles keep its tag.

    Parameters
    ----------
    tag
        Its tag, in any case.
    """
    before = await _topic(newsroom, tag)
    saved = await newsroom.watches.pause(tag, True, desk.by)
    line = f"The topic {saved.label} is paused{'' if before.enabled else ' already'}."
    return await _shown(newsroom, saved, line, hits=False)


@app.command(help_epilogue=example("watch resume AI"))
async def resume(newsroom: Newsroom, desk: Desk, /, tag: str) -> Answer:
    """Follow a topic again.

    Parameters
    ----------
    tag
        Its tag, in any case.
    """
    before = await _topic(newsroom, tag)
    saved = await newsroom.watches.pause(tag, False, desk.by)
    line = f"The topic {saved.label} is followed{' already' if before.enabled else ' again'}."
    return await _shown(newsroom, saved, line, hits=False)


@app.command(help_epilogue=example("watch delete AI"))
async def delete(newsroom: Newsroom, desk: Desk, /, tag: str) -> Answer:
    """Delete a topic. Articles keep its tag, and its counts stay.

    Parameters
    ----------
    tag
        Its tag, in any case.
    """
    before = await _topic(newsroom, tag)
    await newsroom.watches.delete(tag, desk.by)
    return Answer([f"The topic {before.label} is gone."], {"tag": before.label})


@app.command(name="test", help_epilogue=example("watch test --any reactor --none 'chain reactor'"))
async def try_rule(
    newsroom: Newsroom,
    /,
    tag: str | None = None,
    *,
    any: Terms = None,
    all: Terms = None,
    none: Terms = None,
) -> Answer:
    """Say what a rule would have found among the latest 500 articles. Nothing is stored.

    Parameters
    ----------
    tag
        A topic whose rule is tried, with what is given in the place of its own words.
    any
        A word or phrase, of which one is enough; may be given several times.
    all
        One that has to be there, too.
    none
        One that must not be there.
    """
    from tablewright.systems.sentiment.bodies.watch import RuleIn, TrialOut, hit_out

    if tag is None and not any:
        raise invalid(FieldError("--any", "is needed, or the tag of a topic"))
    own = None if tag is None else await _topic(newsroom, tag)
    values = {
        "any": any or (own.any if own else []),
        "all": all or (own.all if own else []),
        "none": none or (own.none if own else []),
    }
    trial = await newsroom.watches.test(checked(RuleIn, values))
    hits = [hit_out(each) for each in trial.hits[:_TOLD]]
    told = TrialOut(looked_at=trial.looked_at, found=len(trial.hits), hits=hits)
    rows = [
        (moment(each.timestamp), each.sentiment or "-", cut(each.title, 60), listed(each.terms))
        for each in hits[:_SHOWN]
    ]
    lines: list[Line] = [f"{told.found} of the latest {several(told.looked_at, 'article')}."]
    if rows:
        lines += columns(("came in", "tone", "title", "found by"), rows)
    return Answer(lines, told.model_dump(mode="json"))


# --- shared --------------------------------------------------------------------------------------


async def _topic(newsroom: Newsroom, tag: str) -> Watch:
    try:
        return await newsroom.watches.get(tag)
    except Problem as problem:
        if problem.code == "NOT_FOUND":
            hint = "tablewright sentiment watch list shows which there are."
            detail = f"There is no topic with the tag {tag!r}."
            raise missing(detail, hint) from None
        raise


async def _shown(newsroom: Newsroom, topic: Watch, line: str = "", *, hits: bool = True) -> Answer:
    from tablewright.systems.sentiment.bodies.watch import topic_out

    found = (await newsroom.watches.hits([topic.watch_tag]))[topic.watch_tag] if hits else None
    told = topic_out(topic, found)
    pairs: list[tuple[str, object]] = [
        ("topic", told.tag),
        ("any of", listed(told.any)),
        ("all of", listed(told.all)),
        ("none of", listed(told.none)),
        ("priority", told.priority),
        ("state", "followed" if told.enabled else "paused"),
    ]
    if found is not None:
        pairs.append(("last 24 hours", several(found, "article")))
    return Answer([*([line] if line else []), *facts(pairs)], told.model_dump(mode="json"))


def _what(before: Watch, after: Watch) -> str:
    same = before.version == after.version
    return f"The topic {after.label} is {'as it was' if same else 'changed'}."


def _rule(any: list[str], all: list[str], none: list[str]) -> str:
    parts = [", ".join(any)]
    parts += [f"and {each}" for each in all]
    parts += [f"not {each}" for each in none]
    return "; ".join(parts)
