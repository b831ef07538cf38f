from __future__ import annotations

from examples.inverted_index import Follow, Follower, followers, following, follows, social

from tablewright.client import Db
from tablewright.model import put


def test_both_ends(tablewright_db: Db) -> None:
    db = tablewright_db
    db.create_tables(social)
    muted = Follow(follower="ada", followed="grace#hopper", muted=True)
    other = Follow(follower="bo", followed="grace#hopper")
    for each in (muted, other):
        db.run(put(each))
    assert db.run(follows("ada", "grace#hopper")) == muted
    assert db.run(follows("grace#hopper", "ada")) is None
    assert list(db.run(following("ada"))) == [muted]
    found = list(db.run(followers("grace#hopper")))
    assert found == [Follower(follower="ada"), Follower(follower="bo")]
