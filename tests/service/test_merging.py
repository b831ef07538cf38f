"""Two people change the same settings: what each keeps, and what they are asked."""

from __future__ import annotations

from tablewright.service.merging import merged, packed


def test_what_only_the_other_changed_is_taken_over() -> None:
    seen = packed({"name": "a", "limit_a_day": "1"})
    typed = {"name": "b", "limit_a_day": "1", "seen": seen, "version": "3", "csrf_token": "x"}
    done = merged(typed, {"name": "a", "limit_a_day": "2"})
    assert done.values == {"name": "b", "limit_a_day": "2"}
    assert (done.clashes, done.taken, done.taken_titles) == ([], ["limit_a_day"], ["limit a day"])


def test_what_both_changed_stays_as_typed_and_is_told_in_the_words_of_the_form() -> None:
    typed = {"any": "mine", "id": "5", "seen": packed({"any": "first"})}
    done = merged(typed, {"any": "theirs"}, words={"any": "terms"}.__getitem__, besides=("id",))
    assert done.values == {"any": "mine"}
    (clash,) = done.clashes
    assert (clash.title, clash.yours, clash.theirs) == ("terms", "mine", "theirs")
