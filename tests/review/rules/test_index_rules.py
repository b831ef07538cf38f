"""The rules of indexes: what they find, and what is nearly the same and fine."""

from __future__ import annotations

from dataclasses import replace

from tests.review.found import found, places

from tablewright.review.design import Attribute, Begins, Entity, Index, Key, Pattern, Table

TABLE = Table("App", pk="PK", sk="SK", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")])
USER = Entity(
    "User", "App", keys=[Key("USER#{id}", "USER"), Key("EMAIL#{email}", "USER#{id}", on="GSI1")]
)
BY_EMAIL = Pattern("by_email", "query", "User", index="GSI1", key={"GSI1PK": "EMAIL#{email}"})


def test_an_index_of_the_same_name_in_another_table_is_not_used() -> None:
    other = replace(TABLE, name="Other")
    assert places("I01", TABLE, other, USER, BY_EMAIL) == ["index Other/GSI1"]


def test_a_pattern_that_names_only_the_table_uses_it() -> None:
    pattern = Pattern("p", "query", table="App", index="GSI1", key={"GSI1PK": "X"})
    assert places("I01", TABLE, USER, pattern) == []


def test_nothing_can_be_said_of_a_design_without_patterns() -> None:
    assert places("I01", TABLE, USER) == []


def test_attributes_of_the_names_fill_an_index() -> None:
    table = Table("App", pk="id", indexes=[Index("by_team", pk="team", sk="id")])
    row = Entity("A", "App", keys=[Key("{id}")], attributes=[Attribute("team")])
    assert places("I02", table, row) == []
    assert places("I02", table, replace(row, attributes=())) == ["index App/by_team"]
    assert places("I02", table) == [], "nothing is known of what is in the table"


def test_half_a_key() -> None:
    half = Entity("A", "App", keys=[Key("A#{id}", "A"), Key("T#{team}", on="GSI1")])
    (finding,) = found("I03", TABLE, half)
    assert "GSI1SK is missing" in finding.message
    assert places("I03", TABLE, USER) == []
    assert places("I03", TABLE, Entity("A", "App", keys=[Key("A#{id}")])) == ["key A[primary]"]


def test_a_local_index_needs_its_sort_key_alone() -> None:
    table = Table("App", pk="PK", sk="SK", indexes=[Index("L", sk="LSK", local=True)])
    row = Entity("A", "App", keys=[Key("A#{id}", "A"), Key(None, "{price}", on="L")])
    assert places("I03", table, row) == []


class TestByName:
    TABLE = Table("App", pk="id", sk="at", indexes=[Index("by_state", pk="state", sk="at")])
    MEANT = Entity("Job", "App", keys=[Key("{id}", "{at}"), Key("{state}", "{at}", on="by_state")])

    def test_who_has_the_attributes_is_in(self) -> None:
        copy = Entity("Copy", "App", keys=[Key("{id}", "{at}")], attributes=[Attribute("state")])
        assert places("I04", self.TABLE, self.MEANT, copy) == ["entity Copy"]

    def test_who_lacks_one_is_not(self) -> None:
        copy = Entity("Copy", "App", keys=[Key("{id}", "{at}")], attributes=[Attribute("phase")])
        assert places("I04", self.TABLE, self.MEANT, copy) == []

    def test_an_index_that_is_declared_for_nobody_is_left_alone(self) -> None:
        copy = Entity("Copy", "App", keys=[Key("{id}", "{at}")], attributes=[Attribute("state")])
        assert places("I04", self.TABLE, copy) == []


def test_who_reads_all_of_an_index_reads_everybody() -> None:
    everybody = Pattern("all", "scan", table="App", index="GSI1")
    team = Entity("Team", "App", keys=[Key("T#{id}", "T"), Key("TRACK#{t}", "T", on="GSI1")])
    assert places("I05", TABLE, USER, team, BY_EMAIL) == ["key Team[GSI1]"]
    assert places("I05", TABLE, USER, team, everybody) == []


def test_a_prefix_is_met_by_keys_that_begin_with_it() -> None:
    key = {"GSI1PK": "EMAIL#{email}", "GSI1SK": Begins("USER#")}
    assert places("I05", TABLE, USER, replace(BY_EMAIL, key=key)) == []
    key = {"GSI1PK": "EMAIL#{email}", "GSI1SK": Begins("ORDER#")}
    assert places("I05", TABLE, USER, replace(BY_EMAIL, key=key)) == ["key User[GSI1]"]


def test_a_local_index_with_an_unknown_number_is_a_note() -> None:
    table = Table("Log", pk="PK", sk="SK", indexes=[Index("L", sk="LSK", local=True)])
    line = Entity("Line", "Log", keys=[Key("APP#{app}", "{at}")])
    (finding,) = found("I06", table, line)
    assert finding.severity == "note"
    assert places("I06", replace(table, indexes=[Index("G", pk="X")]), line) == []
    constant = Entity("Line", "Log", keys=[Key("APP#{app}", "ONLY")])
    assert places("I06", table, constant) == []


class TestEverythingProjected:
    TABLE = Table("App", pk="id", indexes=[Index("by_team", pk="team")])
    DOC = Entity(
        "Doc",
        "App",
        keys=[Key("{id}"), Key("{team}", on="by_team")],
        attributes=[Attribute(name) for name in ("id", "team", "title", "body", "notes", "more")],
    )
    TITLES = Pattern("titles", "query", "Doc", index="by_team", reads=("title",))

    def test_little_of_it_is_read(self) -> None:
        assert places("I07", self.TABLE, self.DOC, self.TITLES) == ["index App/by_team"]

    def test_somebody_reads_whole_items(self) -> None:
        whole = replace(self.TITLES, name="docs", reads="*")
        assert places("I07", self.TABLE, self.DOC, self.TITLES, whole) == []

    def test_somebody_does_not_say(self) -> None:
        silent = replace(self.TITLES, name="docs", reads=None)
        assert places("I07", self.TABLE, self.DOC, self.TITLES, silent) == []

    def test_the_index_of_another_table(self) -> None:
        other = Table("Other", pk="id", indexes=[Index("by_team", pk="team")])
        elsewhere = replace(self.DOC, name="Report", table="Other")
        found_in = places("I07", self.TABLE, other, self.DOC, elsewhere, self.TITLES)
        assert found_in == ["index App/by_team"]


def test_null_in_a_composed_key_is_the_writer_s_business() -> None:
    def team(template: str) -> Entity:
        return Entity(
            "Team",
            "App",
            keys=[Key("T#{id}", "T"), Key(template, "T", on="GSI1")],
            attributes=[Attribute("manager", nullable=True)],
        )

    assert places("I08", TABLE, team("{manager}")) == ["attribute Team.manager"]
    assert places("I08", TABLE, team("MANAGER#{manager}")) == []


def test_limits_of_indexes() -> None:
    def table(number: int) -> Table:
        return Table("App", indexes=[Index(f"G{n}", pk=f"P{n}") for n in range(number)])

    assert places("I09", table(21)) == ["table App"]
    assert places("I09", table(20)) == []
    wide = Table("App", indexes=[Index("G", pk="P", projection=tuple(f"a{n}" for n in range(101)))])
    assert places("I09", wide) == ["table App"]
