"""How the linear model is trained, on sentences made up here."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from training.sentiment import data, train
from training.sentiment.data import Example, Split, fold, read
from training.sentiment.fitting import FIGURES, _loss, fit, matrix, minimise, predict
from training.sentiment.measuring import Measured
from training.sentiment.vocabulary import vocabulary

from tablewright.systems.sentiment.analysers.linear import Linear, read_weights

NEGATIVE, NEUTRAL, POSITIVE = range(3)
TONES = {NEGATIVE: 2.0, NEUTRAL: 4.0, POSITIVE: 6.0}


def examples() -> list[Example]:
    """The word says it all; the rest is the same in each."""
    words = {NEGATIVE: "grumbled", NEUTRAL: "waited", POSITIVE: "shone"}
    return [
        Example(f"That day Marlow {words[label]} number {origin}", label, f"polusa/{origin}")
        for origin in range(10)
        for label in words
    ]


def row(text: str, origin: str, *tones: int) -> dict[str, object]:
    targets = [{"mention": "Marlow", "polarity": TONES[tone]} for tone in tones]
    return {"primary_gid": origin, "sentence_normalized": text, "targets": targets}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three small files of the same form."""
    files = {
        "train.jsonl": [
            row("Learnt.", "allsides_1_10_3_Marlow_0_3", POSITIVE, NEUTRAL),
            row("Learnt.", "allsides_1_10_4_Marlow_0_3", POSITIVE),
            row("The same event.", "allsides_2_20_3_Marlow_0_3", NEGATIVE),
            row("The same article.", "polusa_v1_77_-1_5_Marlow_0_3", NEGATIVE),
            row("Both.", "polusa_v1_78_-1_5_Marlow_0_3", NEGATIVE, POSITIVE),
        ],
        "devtest_mt.jsonl": [row("Learnt, too.", "polusa_v1_79_-1_0_Marlow_0_3", NEUTRAL)],
        "devtest_rw.jsonl": [
            row("Told by another.", "allsides_3_20_1_Marlow_0_3", NEGATIVE),
            row("A title.", "polusa_v1_77_-1_0_Marlow_0_3", NEUTRAL),
        ],
    }
    digests = {}
    for name, rows in files.items():
        text = "".join(json.dumps(each) + "\n" for each in rows)
        (tmp_path / name).write_text(text)
        digests[name] = sha256(text.encode()).hexdigest()
    monkeypatch.setattr(data, "FILES", digests)
    return tmp_path


def test_nothing_of_an_article_or_event_that_is_held_out_is_learnt(folder: Path) -> None:
    split = read(folder)
    assert {(each.text, each.label) for each in split.learn} == {
        ("Learnt.", POSITIVE),
        ("Learnt, too.", NEUTRAL),
    }
    assert [each.label for each in split.held_out] == [NEGATIVE, NEUTRAL]
    assert not {each.origin for each in split.learn} & {each.origin for each in split.held_out}
    assert list(split.left_out.values()) == [1, 2, 1]


def test_other_data_than_the_models_is_refused(folder: Path) -> None:
    with (folder / "train.jsonl").open("a") as file:
        file.write("\n")
    with pytest.raises(SystemExit, match=r"train\.jsonl"):
        read(folder)


def test_what_is_from_one_origin_is_validated_together() -> None:
    parts: dict[str, set[int]] = {}
    for each in examples():
        parts.setdefault(each.origin, set()).add(fold(each, 5))
    assert all(len(found) == 1 for found in parts.values())
    assert len(set.union(*parts.values())) > 1


def test_names_and_groups_get_no_weight() -> None:
    texts = ["Then Marlow praised the women", "Again Marlow praised them", "It marlows, she said"]
    found = vocabulary(texts)
    assert {"praised", "prais*"} <= set(found)
    assert not {"marlow", "marlow*", "marlows", "she", "she*", "women", "women*"} & set(found)


def test_the_slope_is_that_of_the_loss() -> None:
    texts = [each.text for each in examples()]
    labels = np.array([each.label for each in examples()])
    places = vocabulary(texts)
    loss = _loss(matrix(texts, places), labels, len(places), 0.5)
    point = np.linspace(-1, 1, (len(places) + len(FIGURES) + 1) * 3)
    _, slope = loss(point)
    for at in range(0, len(point), 7):
        step = np.zeros_like(point)
        step[at] = 1e-5
        measured = (loss(point + step)[0] - loss(point - step)[0]) / 2e-5
        assert measured == pytest.approx(slope[at], abs=1e-5)


def test_the_lowest_point_is_found() -> None:
    target = np.array([3.0, -2.0, 0.5])
    scale = np.array([1.0, 10.0, 100.0])

    def bowl(point: np.ndarray) -> tuple[float, np.ndarray]:
        off = point - target
        return float((scale * off * off).sum()) + 1, 2 * scale * off

    assert minimise(bowl, np.zeros(3)) == pytest.approx(target, abs=1e-2)


def test_what_is_learnt_is_what_ships() -> None:
    """The file, in plain Python, says what the weights said in numpy."""
    learn = examples()
    model = Linear(read_weights(train.trained(learn)))
    texts = [each.text for each in learn]
    places = vocabulary(texts)
    data_ = matrix(texts, places)
    said = predict(fit(data_, np.array([each.label for each in learn]), len(places)), data_)
    assert [data.LABELS.index(each.label) for each in model.judge(texts)] == list(said)
    assert list(said) == [each.label for each in learn]
    assert train.trained(learn) == train.trained(learn)
    assert train.validated(learn) == 1


def test_the_report_tells_of_both_models(capsys: pytest.CaptureFixture[str]) -> None:
    learn = examples()
    train.report(Split(learn, learn[:6], {"twice": 0}), train.trained(learn))
    told = capsys.readouterr().out
    assert "| linear | 1.000 | 1.000 |" in told
    assert "| VADER |" in told
    assert "30 sentences (10 negative, 10 neutral, 10 positive)" in told


def test_figures_are_those_of_the_definition() -> None:
    measured = Measured("some", [0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 0])
    assert measured.accuracy == pytest.approx(4 / 6)
    assert measured.of(0) == (0.5, 0.5, 0.5)
    assert measured.of(1) == (pytest.approx(2 / 3), 1.0, pytest.approx(0.8))
    assert measured.macro_f1 == pytest.approx((0.5 + 0.8 + 2 / 3) / 3)
    assert measured.matrix() == [[1, 1, 0], [0, 2, 0], [1, 0, 1]]
    assert Measured("none", [0], [1]).of(2) == (0, 0, 0)
