"""Users who follow each other, their posts, likes and timelines.

Source: github.com/aws-samples/aws-dynamodb-examples, schema_design/SchemaExamples/SocialNetwork
(README.md and SocialNetworkSchema.json, at f215ac6).
"""

from __future__ import annotations

from tests.review.seeds.parts import texts

from tablewright.review.design import Attribute, Design, Entity, Key, Pattern, Sample, Table


def design() -> Design:
    # The source lists reads only, and leaves the writes to its reader.
    return Design.of("social network", TABLE, *ENTITIES, *READS, *SAMPLES, writes_declared=False)


#: The schema does not say that time to live is on.
TABLE = Table(
    "SNS",
    pk="PK",
    sk="SK",
    billing="provisioned",
    read_units=5,
    write_units=5,
    max_read_units=10,
    max_write_units=10,
)

# --- entities ------------------------------------------------------------------------------------

ENTITIES = (
    Entity(
        "UserInfo",
        "SNS",
        keys=(Key("u#{userID}", "info"),),
        attributes=(
            Attribute("name", personal=True),
            *texts("content", "imageUrl"),
            Attribute("etc", required=False),
        ),
    ),
    Entity(
        "UserCount",
        "SNS",
        keys=(Key("u#{userID}", "count"),),
        attributes=(
            Attribute("follower#", "N", counts="Follower"),
            Attribute("following#", "N", counts="Following"),
            Attribute("post#", "N", counts="Post"),
        ),
    ),
    Entity("Follower", "SNS", keys=(Key("u#{userID}#follower", "u#{followerID}"),)),
    Entity("Following", "SNS", keys=(Key("u#{userID}#following", "u#{followingID}"),)),
    Entity(
        "Post",
        "SNS",
        keys=(Key("u#{userID}#post", "p#{postID}"),),
        attributes=(
            *texts("content", "imageUrl"),
            # A text that holds seconds since 1970.
            Attribute("timestamp", format="epoch_seconds"),
        ),
    ),
    Entity("Like", "SNS", keys=(Key("p#{postID}#likelist", "u#{userID}"),)),
    # The number of likes has no attribute but this one, a text.
    Entity(
        "LikeCount",
        "SNS",
        keys=(Key("p#{postID}#likecount", "count"),),
        attributes=(Attribute("etc", examples=("100",)),),
    ),
    Entity(
        "TimelineEntry",
        "SNS",
        keys=(Key("u#{userID}#timeline", "p#{postID}#u#{authorID}"),),
        attributes=(Attribute("ttl", "N", format="epoch_seconds"),),
        ttl="ttl",
    ),
)

# --- patterns ------------------------------------------------------------------------------------
# The source writes <userID> and <postID> with their prefixes.

READS = (
    Pattern(
        "getUserInfoByUserID", "query", "UserInfo", also=("UserCount",), key={"PK": "u#{userID}"}
    ),
    Pattern("getFollowerListByUserID", "query", "Follower", key={"PK": "u#{userID}#follower"}),
    Pattern("getFollowingListByUserID", "query", "Following", key={"PK": "u#{userID}#following"}),
    Pattern("getPostListByUserID", "query", "Post", key={"PK": "u#{userID}#post"}),
    Pattern("getUserLikesByPostID", "query", "Like", key={"PK": "p#{postID}#likelist"}),
    # A GetItem; the list gives no sort key.
    Pattern("getLikeCountByPostID", "get", "LikeCount", key={"PK": "p#{postID}#likecount"}),
    Pattern("getTimelineByUserID", "query", "TimelineEntry", key={"PK": "u#{userID}#timeline"}),
)

# --- samples -------------------------------------------------------------------------------------


def _edge(entity: str, pk: str, *others: str) -> tuple[Sample, ...]:
    return tuple(Sample(entity, {"PK": pk, "SK": other}) for other in others)


def _post(number: str, at: str) -> Sample:
    item = {
        "PK": "u#12345#post",
        "SK": f"p#{number}",
        "content": "content for a post",
        "imageUrl": "s3://....",
        "timestamp": at,
    }
    return Sample("Post", item)


def _entry(post: str, author: str) -> Sample:
    key = {"PK": "u#12345#timeline", "SK": f"p#{post}#u#{author}"}
    return Sample("TimelineEntry", {**key, "ttl": 1571827560})


#: In the schema's items the sort keys of three have quotation marks around them.
SAMPLES = (
    Sample(
        "UserInfo",
        {
            "PK": "u#12345",
            "SK": '"info"',
            "name": "hyuklee",
            "content": "My name is Hyuk Lee",
            "imageUrl": "s3://....",
            "etc": "...",
        },
    ),
    Sample(
        "UserCount",
        {
            "PK": "u#12345",
            "SK": '"count"',
            "follower#": 3_000_000_000,
            "following#": 971,
            "post#": 4945,
        },
    ),
    *_edge("Follower", "u#12345#follower", "u#23456", "u#34567", "u#45678"),
    *_edge("Following", "u#12345#following", "u#56789", "u#67890", "u#78912"),
    _post("12345", "1571827560"),
    _post("23456", "1571827561"),
    *_edge("Like", "p#12345#likelist", "u#23456", "u#34567", "u#45678"),
    Sample("LikeCount", {"PK": "p#12345#likecount", "SK": '"count"', "etc": "100"}),
    _entry("34567", "56789"),
    _entry("45678", "67890"),
    _entry("56789", "78901"),
)
