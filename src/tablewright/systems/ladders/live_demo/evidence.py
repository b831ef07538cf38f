"""What people say to each competency of the ladder that comes with the program.

``{work}`` is what somebody works on. Of each kind there are several, so that not everybody says the
same.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Said(NamedTuple):
    """What can be said to one competency."""

    own: tuple[str, ...]
    manager: tuple[str, ...]
    next_step: tuple[str, ...]


SAID: Final[dict[str, Said]] = {
    "Code": Said(
        (
            "Split the two-thousand-line handler of {work} into modules along what changes "
            "together; three colleagues have added features there since, without asking me.",
            "Replaced hand-written parsing in {work} by typed models. The class of bug we had "
            "every other week has not come back since August.",
            "My changes to {work} are usually merged after one round of review, and I leave the "
            "files I touch with fewer branches than before.",
        ),
        (
            "The refactoring of {work} went in as eleven small changes while features went on. "
            "The old path is gone.",
            "Code in {work} reads like the domain. New people find their way by themselves.",
        ),
        (
            "Bring the same structure to the module next door, which nobody feels at home in.",
            "Turn the recurring review comments into a lint rule or a type.",
        ),
    ),
    "Testing": Said(
        (
            "Every bug I fixed in {work} came with a test that failed before; the list is in the "
            "release notes.",
            "Moved forty slow end-to-end tests of {work} down to the service level. The suite "
            "takes six minutes instead of nineteen.",
            "Wrote property tests for the rounding in {work} and found two cases nobody had "
            "thought of.",
        ),
        (
            "Found the flaky test that had cost us a release, and removed its cause, not the test.",
            "Edge cases of {work} are covered before review; I no longer look for them.",
        ),
        (
            "Write down which risks of the service are tested where, and which we accept.",
            "Try a contract test with the team that calls us most.",
        ),
    ),
    "Design": Said(
        (
            "Wrote the design of {work} with two alternatives that were really considered; the "
            "document still matches what runs.",
            "Sketched {work} on one page before starting, and changed the interface after a "
            "question in review, when that was still cheap.",
            "Led the discussion on how {work} behaves when the bank is slow, and we followed the "
            "outcome through the incident in September.",
        ),
        (
            "The design document of {work} named what we give up. Nobody was surprised later.",
            "Good judgement on {work}; the failure cases came late in the document, though.",
        ),
        (
            "Take a design that spans two services, and settle the open questions in writing.",
            "Ask for a review of the sketch before the first prototype, not after it.",
        ),
    ),
    "Operations": Said(
        (
            "On call for five weeks; two incidents, both restored within twenty minutes, both "
            "with a write-up the next day.",
            "Added the dashboard and the runbook for {work}. The night shift has used it twice "
            "without calling me.",
            "Traced the memory growth of {work} to a driver setting, with a heap profile rather "
            "than a guess.",
        ),
        (
            "Calm on the day the queue stood still; restored first, explained afterwards.",
            "Alerts of {work} page only when somebody has to decide something.",
        ),
        (
            "Run the next failover exercise, and have somebody else press the buttons.",
            "Shadow two more shifts, then take one alone.",
        ),
    ),
    "Planning": Said(
        (
            "Split {work} into parts of a few days, each of which could be shown; we dropped the "
            "fifth after seeing the fourth.",
            "Put the uncertain part of {work} first. It took three times as long as thought, and "
            "we still met the date.",
            "Say on the same day when a task takes longer, with what I would leave out.",
        ),
        (
            "Dependencies of {work} were on the table in the first week.",
            "Estimates have become honest, and say what they rest on.",
        ),
        (
            "Plan the next project of three people, from the first sketch to the last flag.",
            "Compare the last plan with what happened, and change one thing.",
        ),
    ),
    "Execution": Said(
        (
            "{work} went live in four slices behind a flag; the flag was removed two weeks later.",
            "When the partner's interface changed in the middle of {work}, I negotiated a smaller "
            "first release and we kept the date.",
            "Finished what I started: nothing of {work} is left in the backlog.",
        ),
        (
            "Something running to show every week, even in the ugly middle part.",
            "Noticed that two tasks were stuck, and paired on them without being asked.",
        ),
        (
            "Carry something over the line that needs another team, without me in between.",
            "Ask for help half a day earlier.",
        ),
    ),
    "Ownership": Said(
        (
            "Watch the numbers of {work} every Monday, and opened three fixes from them that "
            "nobody had asked for.",
            "Took over the upgrade of the certificate tooling, which had belonged to nobody.",
            "Answered all questions in the channel of {work} within a day, and turned the "
            "frequent ones into documentation.",
        ),
        (
            "Knows who uses {work} and what hurts them, and acts on it.",
            "Owned the mistake in the March release openly, and closed the gap behind it.",
        ),
        (
            "Take the whole service, including its cost and its updates.",
            "Find an owner for what you started, and let go of it.",
        ),
    ),
    "Prioritisation": Said(
        (
            "Argued, with figures, for dropping the second export format. Nobody has missed it.",
            "Reordered {work} after talking to support: the small fix first, which closed a third "
            "of the tickets.",
            "Ask what matters most when two things are urgent, and keep to the answer.",
        ),
        (
            "Says no with a reason and an alternative.",
            "Sees what can wait; sometimes decides so alone, where product should be asked.",
        ),
        (
            "Write down for a quarter what you left out, and what came of it.",
            "Bring one proposal to the planning that costs less than what it replaces.",
        ),
    ),
    "Communication": Said(
        (
            "The weekly note on {work} is five lines; two other teams have taken over the format.",
            "Explained the delay of {work} to finance in their words, with what it means for the "
            "month-end.",
            "Summarise long threads with what was decided and what is open.",
        ),
        (
            "Bad news arrives early and complete.",
            "Writing is clear; in meetings the quiet objections deserve to be said aloud.",
        ),
        (
            "Present {work} at the next all-hands.",
            "Say the objection in the meeting, not in the hallway.",
        ),
    ),
    "Review": Said(
        (
            "Reviewed about ninety changes, nearly all within half a day, with reasons rather "
            "than preferences.",
            "Found the race in the retry code of {work} in review, and drew it, which helped more "
            "than the comment.",
            "Ask questions in reviews where I do not understand something yet.",
        ),
        (
            "Reviews teach. Juniors ask for them.",
            "Comments are kind and to the point; more of them could go beyond the line.",
        ),
        (
            "Review one design document a month outside the team.",
            "Mark what must change and what is taste.",
        ),
    ),
    "Teamwork": Said(
        (
            "Paired with two colleagues on {work} when they were stuck, one afternoon a week.",
            "Took the unpopular half of the migration so that the release was not held up.",
            "Covered the shift of a colleague whose child was ill, and handed over in writing.",
        ),
        (
            "The team is quicker when they are in it.",
            "Shares credit by name, also when nobody is looking.",
        ),
        (
            "Let somebody else drive the next difficult piece, and sit beside them.",
            "Settle the disagreement about the branching model with a trial of two weeks.",
        ),
    ),
    "Partners": Said(
        (
            "Agreed on the interface of {work} with the partner's engineers in two calls and one "
            "page; it has not changed since.",
            "Sat with support for two days. Three of the five changes to {work} came from that.",
            "Know whom to ask in product and finance, and keep them informed.",
        ),
        (
            "Product asks for them by name when something crosses the border.",
            "Works well with support; design was brought in late on {work}.",
        ),
        (
            "Own the conversation with one partner for a quarter.",
            "Invite design to the first sketch.",
        ),
    ),
    "Mentoring": Said(
        (
            "Met every other week with a colleague who has since taken over {work} at night.",
            "Wrote the first-week guide of the team and walked two people through it.",
            "Answer questions with where to look, and then with the answer.",
        ),
        (
            "Two people have grown visibly beside them.",
            "Helps whoever asks; could offer it to those who do not ask.",
        ),
        (
            "Agree with one colleague on what they want to be able to do by summer.",
            "Hand over the on-call introduction to somebody you have trained.",
        ),
    ),
    "Direction": Said(
        (
            "Proposed to retire the old reports of {work}, with the figures; it is in the plan "
            "for next quarter.",
            "Wrote the one-pager on what {work} should be in a year. It was cited in the planning.",
            "Can say why we work on {work}, and for whom.",
        ),
        (
            "The one-pager changed what we do next quarter.",
            "Thinks ahead within the team; the wider picture is next.",
        ),
        (
            "Take a position on where the service should be in two years, in writing.",
            "Ask product for the numbers behind the next goal.",
        ),
    ),
    "Culture": Said(
        (
            "Brought the blameless review to our team; four so far, each with one change that "
            "was really made.",
            "Said in the retrospective that our stand-ups exclude the part-timers. They are at "
            "eleven now.",
            "Thank people by name in the channel when something went well.",
        ),
        (
            "Makes it easy to say that something went wrong.",
            "Others are braver in meetings because of them.",
        ),
        (
            "Run the next retrospective across two teams.",
            "Help the new people find their feet in the first month.",
        ),
    ),
    "Hiring": Said(
        (
            "Interviewed nine candidates with written notes on the same day; two of them are "
            "colleagues now.",
            "Rewrote the take-home task so that it takes two hours, and tried it on ourselves "
            "first.",
            "Joined three interviews as the second voice, and wrote my notes before hearing the "
            "others'.",
        ),
        (
            "Notes are fair and specific. The panel relies on them.",
            "A good second voice; ready to lead an interview.",
        ),
        (
            "Lead the next interview, with somebody else as the second voice.",
            "Give a talk where the people are whom we would like to meet.",
        ),
    ),
}

WAY_FORWARD: Final = (
    "Next season: lead one piece of work from the first sketch to its quiet end, and hand over "
    "something that only you can do today.",
    "Keep the craft where it is, and spend one day a week on what lies between the teams.",
    "Grow into the on-call rotation, and own one area with its numbers.",
)
OWN_WAY: Final = (
    "I would like to take on a design that involves a second team, and to mentor somebody.",
    "I want to get better at saying early what I am unsure of, and to see a project through alone.",
)
COMMENTS: Final = (
    "Thank you, I see myself in this. Let us talk about planning first.",
    "Fair. On operations I see it a little differently, as we discussed on Tuesday.",
    "This helps. I have put the two actions into my calendar.",
)
ACTIONS: Final = (
    ("Lead the design of the next cross-team change", "Sketch with the partner team first."),
    ("Run the failover exercise in spring", "Somebody else presses the buttons."),
    ("Mentor one new colleague through the first month", ""),
    ("Present the project at the all-hands", "Ten minutes, with figures."),
)
REOPENED: Final = "The dispute work of October is missing; please add it before we talk."
