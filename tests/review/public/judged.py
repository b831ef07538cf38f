"""What the review finds in the public models, each finding judged by hand.

``python -m tests.review.public.judged`` writes docs/review-of-public-models.md anew.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tablewright.review import Design, all_rules

PAGE = Path(__file__).resolve().parents[3] / "docs" / "review-of-public-models.md"
_REPOSITORY = "aws-samples/aws-dynamodb-examples"
_FOLDER = "schema_design/SchemaExamples"

#: The models, and the folder of each in the repository they are from.
SOURCES = {
    "chat_system": "ChatSystem",
    "complaint_management": "ComplainManagement",
    "recurring_payments": "RecurringPayments",
    "session_management": "SessionManagement",
    "social_network": "SocialNetwork",
}


class Judged(NamedTuple):
    """A finding that is true, and why."""

    code: str
    place: str
    why: str


_ONE_PAGE = "The code sends one query, and does not look at LastEvaluatedKey."
_TTL_OFF = "The items have an end, but no part of the source turns time to live on."
_TTL_LATE = "Deletion by time to live takes up to days; the query does not leave out what ended."
_TWO_FORMS = "The README writes the time with Z, the items without."
_QUOTES = "The item's sort key has quotation marks in it, the key of the README has none."
_PERIOD = "The daily run moves all that were due today to the same day of the next month."
_RESERVED = "It is in DynamoDB's list of reserved words."
_NO_CHILD = "Of the eight patterns none creates a child session."
_TOKEN = "The items hold access tokens that can be used as they are."

TRUE: dict[str, tuple[Judged, ...]] = {
    "chat_system": (
        Judged("P22", "entity Comment", _RESERVED),
        Judged(
            "W02",
            "pattern addComments",
            "Two comments of a user in one millisecond have one key; the put has no condition.",
        ),
        Judged(
            "S04",
            "sample Comment",
            'Both times are "timestamp" in the key list; in one item they are an hour apart.',
        ),
    ),
    "complaint_management": (
        Judged(
            "K03",
            "key Communication[primary]",
            "The key is said to sort by time, and times are shown with and without a zone.",
        ),
        Judged("P10", "pattern Get all communications for a complaint", _ONE_PAGE),
        Judged("P10", "pattern Get all complaints for a customer", _ONE_PAGE),
        Judged("P10", "pattern Find complaints escalated to an agent", _ONE_PAGE),
        Judged(
            "P14",
            "pattern Find complaints by severity and state",
            "It is a Scan with a filter: it reads every communication, too.",
        ),
        Judged("S06", "attribute Complaint.escalation_time", _TWO_FORMS),
        Judged("S06", "attribute Communication.comm_date", _TWO_FORMS),
    ),
    "recurring_payments": (
        Judged(
            "K02",
            "key Subscription[primary]",
            "The source does not say what a SubId may hold, and SKU follows it.",
        ),
        Judged("P22", "entity Receipt", _RESERVED),
        Judged(
            "W02",
            "pattern Create new subscription",
            "A PutItem without a condition: a repeated call undoes what was updated since.",
        ),
        Judged(
            "W02",
            "pattern Create new receipt",
            "A PutItem without a condition: nothing protects a receipt from being replaced.",
        ),
        Judged(
            "W03",
            "pattern Update subscription",
            "An UpdateItem without a condition creates a subscription where there is none.",
        ),
        Judged("T03", "pattern Get all receipts for an account", _TTL_LATE),
        Judged("T04", "attribute Receipt.TTL", _TTL_OFF),
        Judged("S01", "sample Receipt", "The key's year is 12023, and its time lacks a digit."),
        Judged("H03", "key Subscription[GSI-1]", _PERIOD),
        Judged("H03", "key Subscription[GSI-2]", _PERIOD),
        Judged(
            "X02",
            "attribute Subscription.PaymentDetails",
            "The item holds a whole card number, and GSI-2 copies it.",
        ),
        Judged(
            "X05",
            "entity Subscription",
            "Address and card have no end, and none of the patterns deletes a subscription.",
        ),
    ),
    "session_management": (
        Judged(
            "P12",
            "pattern getLastLoginTimeByCustomerId",
            "Limit 1 gives the session with the least id, not the last login.",
        ),
        Judged("W01", "pattern getChildSessionsBySessionId", _NO_CHILD),
        Judged("W01", "pattern getSessionByChildSessionId", _NO_CHILD),
        Judged(
            "W02",
            "pattern createSession",
            "A PutItem without a condition: a repeated call makes a closing session active again.",
        ),
        Judged("X02", "attribute Session.access_token", _TOKEN),
        Judged("X02", "attribute ChildSession.access_token", _TOKEN),
    ),
    "social_network": (
        Judged(
            "K02",
            "key TimelineEntry[primary]",
            "The source does not say what a postID may hold, and the author follows it.",
        ),
        Judged(
            "P03",
            "pattern getLikeCountByPostID",
            "A GetItem with the partition key alone is refused; the table has a sort key.",
        ),
        Judged("P22", "entity UserInfo", _RESERVED),
        Judged("P22", "entity Post", _RESERVED),
        Judged("P22", "entity TimelineEntry", _RESERVED),
        Judged("T03", "pattern getTimelineByUserID", _TTL_LATE),
        Judged("T04", "attribute TimelineEntry.ttl", _TTL_OFF),
        Judged("S01", "sample UserInfo", _QUOTES),
        Judged("S01", "sample UserCount", _QUOTES),
        Judged("S01", "sample LikeCount", _QUOTES),
    ),
}


def declared(model: str) -> Design:
    """A public model's design."""
    made: Design = importlib.import_module(f"tests.review.public.{model}").design()
    return made


# --- the page ------------------------------------------------------------------------------------

_HEAD = f"""\
# The review of public models

The rules were written with [five documents](review-of-the-seeds.md) at hand. To see what they say
elsewhere, five data models that others have published were declared as literally as the form
allows (`tests/review/public`), and every finding was judged by hand. This page lists what was found
and why it is true; `python -m tests.review.public.judged` writes it, and a test fails if the review
finds anything else, or less.

All of them are from [{_REPOSITORY}](https://github.com/{_REPOSITORY}), `{_FOLDER}`, at commit
f215ac6. They are examples, which teach keys and indexes and leave much to their readers: that a put
has no condition there does not mean that its authors would leave it out. A finding is true here if
a program made by the letter of the source would have the defect.

Some findings rest on how we read the source, with the defect in view: that what is "created" must
be new (W02), that a token or a card number is a secret in clear (X02), that the two times of a
comment are one (S04), that the last login is wanted in order (P12), that the code shown reads one
page (P10), that communications are read in order (K03). And the rules were corrected on these same
models, so that nothing false is left here says little about the next model; the first runs do, see
below.
"""

_TAIL = """\
## What was false

Of 55 findings of the first runs 20 were false: 15 of S03, 3 of S07, one of X05, one of K01. (The
session management was first run after S03 was corrected; its three times would have been false,
too.) Two more said too much. The rules were corrected; all but the wording of K03 have a test:

| Rule | Said | Now |
|---|---|---|
| [S03](rules/S03.md) | a time without a zone is not ISO 8601 | it is |
| [S07](rules/S07.md) | three of 3,000,000,000 followers are shown, so the count is wrong | nobody \
shows all of many |
| [W03](rules/W03.md) | what an item made by an update lacks, where nobody says what the update \
sets | only that it makes one |
| [X05](rules/X05.md) | no pattern erases a person, where the source lists no writes at all | \
nothing |
| [K03](rules/K03.md) | zones are mixed | they may be |

One more, a collision of comments with memberships in the chat (K01), was the declaration's fault:
it did not say that the sort key of a comment is a time.

## What a reader sees and the review does not

- chat system: nothing reads who has joined a room; a deleted room leaves its comments behind; "all
  comments" are asked for with Limit 1.
- complaint management: no filter can select changes of state, which lie between two items; one
  communication is older than its complaint.
- recurring payments: a subscription that was never paid has no LastPaymentDate, so it is not in
  GSI-2, and is never found to be due.
- session management: to get a session by its id one has to know the customer; an expired session
  leaves its child sessions behind; nothing ends a session that nobody expires.
- social network: `follower#` cannot stand in an expression without a placeholder; the number of
  likes is a text.

The GetItem without a sort key in the social network (P03) was one of these; the rule now finds it.
"""


def page() -> str:
    """The whole page, as Markdown."""
    return "\n".join([_HEAD, *_table(), "", _TAIL])


def _table() -> Iterator[str]:
    titles = {rule.code: rule.title for rule in all_rules()}
    yield "| Model | Source | Finding | Place | Why it is true |"
    yield "|---|---|---|---|---|"
    for model, rows in TRUE.items():
        for row in rows:
            rule = f"[{row.code}](rules/{row.code}.md) {titles[row.code]}"
            source = f"`{SOURCES[model]}`"
            yield f"| {declared(model).name} | {source} | {rule} | {row.place} | {row.why} |"


if __name__ == "__main__":
    PAGE.write_text(page())
