"""Jobs that end, what they cost, and what they say."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from decimal import Decimal

from soak.image import Image, Item
from soak.invariants.finding import invariant, unless
from soak.journal import Journal

TABLE, KIND = "VibeJudgeTable", "entity_type"


def _all(image: Image, name: str) -> list[Item]:
    return image.typed(TABLE, name, KIND)


@invariant("vibejudge: acknowledged hackathons, submissions and jobs are there")
def there(image: Image, journal: Journal) -> Iterator[str | None]:
    places = (("hackathon", "HACKATHON_DETAIL", "hack_id"), ("submission", "SUBMISSION", "sub_id"))
    for kind, stored, name in (*places, ("job", "ANALYSIS_JOB", "job_id")):
        found = Counter(str(each[name]) for each in _all(image, stored))
        for key in {deed.key for deed in journal.sure("vibejudge", kind)}:
            yield unless(found[key] == 1, f"{kind} {key} is there {found[key]} times")


@invariant("vibejudge: jobs have ended, and their counters are their tasks")
def jobs(image: Image) -> Iterator[str | None]:
    tasks: dict[str, Counter[str]] = defaultdict(Counter)
    for each in _all(image, "TASK"):
        tasks[each["job_id"]][each["state"]] += 1
    for job in _all(image, "ANALYSIS_JOB"):
        states, name = tasks[job["job_id"]], job["job_id"]
        over = job["status"] in ("completed", "failed", "cancelled")
        yield unless(over, f"{name} is {job['status']}")
        done = job["completed_submissions"]
        yield unless(states["done"] == done, f"{name}: {done} done, its tasks say {dict(states)}")
        if job["status"] == "completed":
            left = states["queued"] + states["leased"]
            yield unless(left == 0, f"{name} is completed, and {left} tasks are not")


@invariant("vibejudge: whatever was analysed has a score")
def scores(image: Image) -> Iterator[str | None]:
    summaries = {each["sub_id"] for each in _all(image, "SUBMISSION_SUMMARY")}
    for task in _all(image, "TASK"):
        if task["state"] == "done":
            yield unless(task["sub_id"] in summaries, f"{task['sub_id']} has no score")


@invariant("vibejudge: what a hackathon has cost is the sum of its calls")
def costs(image: Image) -> Iterator[str | None]:
    calls: dict[str, Decimal] = defaultdict(Decimal)
    for each in _all(image, "COST_RECORD"):
        calls[each["hack_id"]] += each["total_cost_usd"]
    for each in _all(image, "HACKATHON_COST"):
        name, total = each["hack_id"], each["total_cost_usd"]
        yield unless(calls[name] == total, f"{name}: {total}, its calls {calls[name]}")
    yield from (f"{each['run_id']} is still reserved" for each in _all(image, "RESERVATION"))


@invariant("vibejudge: repositories and teams take part once")
def locks(image: Image) -> Iterator[str | None]:
    submissions = {each["sub_id"]: each for each in _all(image, "SUBMISSION")}
    for kind in ("REPO_LOCK", "TEAM_LOCK"):
        owners = Counter(each["sub_id"] for each in _all(image, kind))
        for owner in owners:
            yield unless(owner in submissions, f"a {kind} is of {owner}, which is not there")
        for sub_id in submissions:
            yield unless(owners[sub_id] == 1, f"{sub_id} has {owners[sub_id]} {kind}s")


@invariant("vibejudge: hackathons count their submissions")
def counted(image: Image) -> Iterator[str | None]:
    found = Counter(each["hack_id"] for each in _all(image, "SUBMISSION"))
    for each in _all(image, "HACKATHON_DETAIL"):
        name, says = each["hack_id"], each["submission_count"]
        yield unless(found[name] == says, f"{name} counts {says}, there are {found[name]}")
