"""Multinomial logistic regression with L2, minimised by L-BFGS; numpy and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablewright.systems.sentiment.analysers.linear import FIGURES, figures, terms, written

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
#: Loss and gradient at a point.
Loss = Callable[[Floats], tuple[float, Floats]]

L2_TERMS = 0.7
L2_FIGURES = 1.0
MAX_STEPS = 200
MEMORY = 10
CLASSES = 3


@dataclass(frozen=True)
class Matrix:
    """Texts as figures: which terms each has (each worth ``share``), and what VADER says."""

    rows: Ints
    columns: Ints
    shares: Floats
    figures: Floats

    @property
    def count(self) -> int:
        return len(self.figures)


def matrix(texts: Sequence[str], vocabulary: dict[str, int]) -> Matrix:
    rows, columns, shares, said = [], [], [], []
    for row, text in enumerate(texts):
        words = [word.casefold() for word in written(text)]
        known = sorted(vocabulary[term] for term in terms(words) if term in vocabulary)
        rows += [row] * len(known)
        columns += known
        shares += [max(len(known), 1) ** -0.5] * len(known)
        said.append(figures(text, words))
    return Matrix(
        np.array(rows, dtype=np.int64),
        np.array(columns, dtype=np.int64),
        np.array(shares),
        np.array(said).reshape(len(texts), len(FIGURES)),
    )


@dataclass(frozen=True)
class Fitted:
    terms: Floats
    figures: Floats
    bias: Floats


def fit(data: Matrix, labels: Ints, size: int, l2: float = L2_TERMS) -> Fitted:
    """The weights that explain the labels best, as long as they stay small."""
    start = np.zeros((size + len(FIGURES) + 1) * CLASSES)
    best = minimise(_loss(data, labels, size, l2), start).reshape(-1, CLASSES)
    centred = best - best.mean(axis=1, keepdims=True)
    return Fitted(centred[:size], centred[size:-1], centred[-1])


def _loss(data: Matrix, labels: Ints, size: int, l2: float) -> Loss:
    truth = np.eye(CLASSES)[labels]
    strength = np.concatenate([np.full(size, l2), np.full(len(FIGURES), L2_FIGURES), [0.0]])
    every = np.arange(data.count)

    def loss(point: Floats) -> tuple[float, Floats]:
        weights = point.reshape(-1, CLASSES)
        chances = softmax(_sums(data, weights[:size], weights[size:-1], weights[-1]))
        penalty = strength[:, None] * weights
        value = -np.log(chances[every, labels] + 1e-300).sum() + (penalty * weights).sum() / 2
        wrong = chances - truth
        slope = np.concatenate(
            [
                np.stack([_gathered(data, wrong[:, at], size) for at in range(CLASSES)], axis=1),
                data.figures.T @ wrong,
                wrong.sum(axis=0, keepdims=True),
            ]
        )
        return float(value), (slope + penalty).ravel()

    return loss


def _sums(data: Matrix, of_terms: Floats, of_figures: Floats, bias: Floats) -> Floats:
    spread = [
        np.bincount(data.rows, of_terms[data.columns, at] * data.shares, minlength=data.count)
        for at in range(CLASSES)
    ]
    return np.stack(spread, axis=1) + data.figures @ of_figures + bias


def _gathered(data: Matrix, wrong: Floats, size: int) -> Floats:
    found: Floats = np.bincount(  # type: ignore[assignment]  # of floats, if its weights are
        data.columns, wrong[data.rows] * data.shares, minlength=size
    )
    return found


def softmax(sums: Floats) -> Floats:
    powers = np.exp(sums - sums.max(axis=1, keepdims=True))
    chances: Floats = powers / powers.sum(axis=1, keepdims=True)
    return chances


def predict(fitted: Fitted, data: Matrix) -> Ints:
    """The most likely label of each text."""
    found: Ints = _sums(data, fitted.terms, fitted.figures, fitted.bias).argmax(axis=1)
    return found


# --- L-BFGS --------------------------------------------------------------------------------------


def minimise(loss: Loss, point: Floats) -> Floats:
    """Where a smooth convex function is lowest, within a millionth of its value."""
    value, slope = loss(point)
    moves: list[tuple[Floats, Floats]] = []
    for _ in range(MAX_STEPS):
        way = _direction(slope, moves)
        step, next_value, next_slope = _searched(loss, point, way, value, slope)
        moved, turned = step * way, next_slope - slope
        if moved @ turned > 1e-12:
            moves = [*moves, (moved, turned)][-MEMORY:]
        point = point + moved
        gained, value, slope = value - next_value, next_value, next_slope
        if gained <= 1e-6 * abs(value):
            break
    return point


def _direction(slope: Floats, moves: list[tuple[Floats, Floats]]) -> Floats:
    """Downhill, with the curvature of the last moves in mind."""
    if not moves:
        first: Floats = -10 * slope / np.abs(slope).sum()
        return first
    way, factors = -slope, []
    for moved, turned in reversed(moves):
        factors.append(moved @ way / (turned @ moved))
        way = way - factors[-1] * turned
    moved, turned = moves[-1]
    way = way * (moved @ turned / (turned @ turned))
    for (moved, turned), factor in zip(moves, reversed(factors), strict=True):
        way = way + (factor - turned @ way / (turned @ moved)) * moved
    return way


def _searched(
    loss: Loss, point: Floats, way: Floats, value: float, slope: Floats
) -> tuple[float, float, Floats]:
    """A step that goes down far enough: halved until it does."""
    step = 1.0
    while True:
        next_value, next_slope = loss(point + step * way)
        if next_value <= value + 1e-4 * step * (slope @ way) or step < 1e-10:
            return step, next_value, next_slope
        step /= 2
