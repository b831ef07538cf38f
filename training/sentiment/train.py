"""Train the linear model, write its weights, and print the figures of its card.

    python -m training.sentiment.train FOLDER            # figures; compares with what ships
    python -m training.sentiment.train FOLDER --write    # also writes linear.tsv
    python -m training.sentiment.train FOLDER --search   # how strong the weights are held down

FOLDER holds the three files of NewsMTSC (see README.md). Everything is derived from them: there is
no randomness, and the same numpy gives the same file.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np

from tablewright.systems.sentiment.analysers.analyser import Analyser
from tablewright.systems.sentiment.analysers.linear import VERSION, WEIGHTS, Linear, read_weights
from tablewright.systems.sentiment.analysers.vader import Vader
from training.sentiment.data import LABELS, Example, Split, fold, read
from training.sentiment.fitting import L2_TERMS, Fitted, fit, matrix, predict
from training.sentiment.measuring import Measured, details, summary
from training.sentiment.vocabulary import vocabulary

FOLDS = 5
#: Weights are kept in so many steps to either side.
STEPS = 127
SEARCHED = (0.2, 0.4, 0.7, 1.0, 1.5, 3.0)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training.sentiment.train")
    parser.add_argument("folder", type=Path, help="where train.jsonl and the others are")
    parser.add_argument("--write", action="store_true", help=f"write {WEIGHTS.name}")
    parser.add_argument("--search", action="store_true", help="only compare strengths of L2")
    asked = parser.parse_args()
    split = read(asked.folder)
    if asked.search:
        for l2 in SEARCHED:
            print(f"l2 {l2}: {validated(split.learn, l2):.4f}")
        return
    text = trained(split.learn)
    report(split, text)
    if asked.write:
        WEIGHTS.write_text(text, "utf-8")
    elif text != WEIGHTS.read_text("utf-8"):
        raise SystemExit(f"{WEIGHTS.name} is not what was trained now")


def validated(examples: Sequence[Example], l2: float = L2_TERMS) -> float:
    """Accuracy in a cross validation; what is from one origin stays together."""
    right = 0
    for part in range(FOLDS):
        learn = [each for each in examples if fold(each, FOLDS) != part]
        rest = [each for each in examples if fold(each, FOLDS) == part]
        places = vocabulary([each.text for each in learn])
        fitted = fit_examples(learn, places, l2)
        said = predict(fitted, matrix([each.text for each in rest], places))
        right += int((said == np.array([each.label for each in rest])).sum())
    return right / len(examples)


def fit_examples(examples: Sequence[Example], places: dict[str, int], l2: float) -> Fitted:
    data = matrix([each.text for each in examples], places)
    return fit(data, np.array([each.label for each in examples]), len(places), l2)


def trained(examples: Sequence[Example]) -> str:
    """The file of weights: rounded to steps, without terms that round to nothing."""
    places = vocabulary([each.text for each in examples])
    fitted = fit_examples(examples, places, L2_TERMS)
    scale = float(f"{np.abs(fitted.terms).max() / STEPS:.6f}")
    steps = np.rint(fitted.terms / scale).astype(int).clip(-STEPS, STEPS)
    head = {
        "version": VERSION,
        "scale": scale,
        "figures": np.round(fitted.figures, 4).tolist(),
        "bias": np.round(fitted.bias, 4).tolist(),
    }
    rows = [
        "\t".join([term, *map(str, steps[at])]) for term, at in places.items() if steps[at].any()
    ]
    return "\n".join([json.dumps(head), *rows]) + "\n"


def report(split: Split, text: str) -> None:
    """What the card tells, of the model as it ships: rounded, and run without numpy."""
    held_out = split.held_out
    truth = [each.label for each in held_out]
    texts = [each.text for each in held_out]
    often = max(range(len(LABELS)), key=[each.label for each in split.learn].count)
    models: dict[str, Analyser] = {"linear": Linear(read_weights(text)), "VADER": Vader()}
    measured = [
        Measured(name, truth, [LABELS.index(each.label) for each in model.judge(texts)])
        for name, model in models.items()
    ]
    always = Measured(f"always {LABELS[often]}", truth, [often] * len(truth))
    print(f"learnt from {_counts(split.learn)}; held out {_counts(held_out)}")
    print("left out:", ", ".join(f"{count} {why}" for why, count in split.left_out.items()))
    print(f"cross validation (accuracy, {FOLDS} parts): {validated(split.learn):.3f}\n")
    print(summary([*measured, always]), *map(details, measured), sep="\n\n")
    print(f"\n{len(text.splitlines()) - 1} terms, {len(text.encode())} bytes")
    print("SHA-256", sha256(text.encode()).hexdigest())


def _counts(examples: Sequence[Example]) -> str:
    labels = [each.label for each in examples]
    parts = ", ".join(f"{labels.count(at)} {name}" for at, name in enumerate(LABELS))
    return f"{len(examples)} sentences ({parts})"


if __name__ == "__main__":
    main()
