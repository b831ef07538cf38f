@@ project riverlevels
@@ author ines Ines Kaltenbach <ines@riverlevels.example>
@@ author obi Obi Nwosu <obi@riverlevels.example>

@@ commit 2026-09-18 19:10 ines
Readings of one summer, and how they are cleaned
@@ file requirements.txt
pandas==2.2.3
numpy==2.1.3
statsmodels==0.14.4
matplotlib==3.9.2
@@ file data/levels.csv
day,station,cm
2026-06-01,Alder Weir,112
2026-06-02,Alder Weir,115
2026-06-03,Alder Weir,
2026-06-04,Alder Weir,141
2026-06-05,Alder Weir,163
2026-06-06,Alder Weir,158
2026-06-07,Alder Weir,149
2026-06-01,Mill Bridge,87
2026-06-02,Mill Bridge,88
2026-06-03,Mill Bridge,95
2026-06-04,Mill Bridge,119
2026-06-05,Mill Bridge,999
2026-06-06,Mill Bridge,131
2026-06-07,Mill Bridge,124
@@ file riverlevels/__init__.py
"""Tomorrow's level of a river, from yesterday's readings."""
@@ file riverlevels/cleaning.py
"""Readings as they come, made fit for counting."""

import pandas as pd

#: What a sensor says when it is under a branch.
STUCK_CM = 900


def read_levels(path: str) -> pd.DataFrame:
    """One row for each day, one column for each station."""
    table = pd.read_csv(path, parse_dates=["day"])
    table.loc[table["cm"] >= STUCK_CM, "cm"] = None
    return table.pivot(index="day", columns="station", values="cm")


def fill_gaps(levels: pd.DataFrame, longest: int = 2) -> pd.DataFrame:
    """Short gaps are bridged; long ones stay, so that nobody trusts them."""
    return levels.interpolate(limit=longest, limit_area="inside")

@@ commit 2026-09-19 10:30 obi
Forecast by what the station above has seen
@@ file riverlevels/forecast.py
"""A forecast for a station from those above it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Forecast:
    station: str
    cm: float
    #: Half the width of the band that held nine of ten days.
    within: float


def lagged(levels: pd.DataFrame, station: str, above: str, days: int = 1) -> pd.DataFrame:
    """The level of a station beside what the one above had some days before."""
    pairs = pd.DataFrame({"own": levels[station], "above": levels[above].shift(days)})
    return pairs.dropna()


def forecast(levels: pd.DataFrame, station: str, above: str) -> Forecast:
    pairs = lagged(levels, station, above)
    if len(pairs) < 3:
        raise ValueError(f"{station} has only {len(pairs)} days to learn from")
    slope, offset = np.polyfit(pairs["above"], pairs["own"], 1)
    missed = np.abs(pairs["own"] - (slope * pairs["above"] + offset))
    tomorrow = slope * levels[above].iloc[-1] + offset
    return Forecast(station, round(float(tomorrow), 1), round(float(missed.quantile(0.9)), 1))
@@ file notebooks/explore.ipynb
{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": ["# Does Mill Bridge follow Alder Weir?\n", "One day later, by about two thirds."]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "metadata": {},
   "outputs": [],
   "source": [
    "import matplotlib.pyplot as plt\n",
    "from riverlevels.cleaning import fill_gaps, read_levels\n",
    "from riverlevels.forecast import forecast, lagged\n",
    "\n",
    "levels = fill_gaps(read_levels(\"../data/levels.csv\"))\n",
    "levels.plot(title=\"Levels in cm\")"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 2,
   "metadata": {},
   "outputs": [],
   "source": [
    "pairs = lagged(levels, \"Mill Bridge\", \"Alder Weir\")\n",
    "plt.scatter(pairs[\"above\"], pairs[\"own\"])\n",
    "forecast(levels, \"Mill Bridge\", \"Alder Weir\")"
   ]
  }
 ],
 "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
 "nbformat": 4,
 "nbformat_minor": 5
}

@@ commit 2026-09-19 14:05 ines
How sure are we? Try many summers, not one
@@ file riverlevels/chances.py
"""How likely a level is, by drawing many summers from the one that we have."""

import numpy as np
import pandas as pd


def monte_carlo(levels: pd.Series, days: int, draws: int = 2000, seed: int = 7) -> np.ndarray:
    """The highest level of each drawn summer: steps are taken in any order."""
    steps = levels.dropna().diff().dropna().to_numpy()
    chance = np.random.default_rng(seed)
    drawn = chance.choice(steps, size=(draws, days), replace=True)
    paths = levels.dropna().iloc[-1] + np.cumsum(drawn, axis=1)
    return paths.max(axis=1)


def chance_above(levels: pd.Series, cm: float, days: int = 7) -> float:
    """The share of drawn summers in which the river gets as high."""
    return float((monte_carlo(levels, days) >= cm).mean())
@@ edit riverlevels/cleaning.py
    table.loc[table["cm"] >= STUCK_CM, "cm"] = None
@@ into
    if table.empty:
        raise ValueError(f"{path} has no readings")
    table.loc[table["cm"] >= STUCK_CM, "cm"] = None

@@ commit 2026-09-19 17:40 obi
Check that the cleaning cleans
@@ file tests/test_cleaning.py
from pathlib import Path

from riverlevels.cleaning import fill_gaps, read_levels

DATA = Path(__file__).parent.parent / "data" / "levels.csv"


def test_stuck_sensors_say_nothing():
    levels = read_levels(str(DATA))
    assert levels["Mill Bridge"].max() == 131


def test_short_gaps_are_bridged():
    levels = fill_gaps(read_levels(str(DATA)))
    assert levels["Alder Weir"].loc["2026-06-03"] == 128
    assert not levels.isna().any().any()
@@ edit riverlevels/forecast.py
    tomorrow = slope * levels[above].iloc[-1] + offset
@@ into
    tomorrow = slope * levels[above].dropna().iloc[-1] + offset

@@ commit 2026-09-20 11:55 ines
Run it without a notebook; tell what it is
@@ file forecast.py
"""``python forecast.py data/levels.csv "Mill Bridge" "Alder Weir"``"""

import sys

from riverlevels.chances import chance_above
from riverlevels.cleaning import fill_gaps, read_levels
from riverlevels.forecast import forecast


def main(path: str, station: str, above: str) -> int:
    levels = fill_gaps(read_levels(path))
    try:
        told = forecast(levels, station, above)
    except (KeyError, ValueError) as error:
        print(f"no forecast: {error}", file=sys.stderr)
        return 1
    print(f"{told.station}: {told.cm} cm tomorrow, give or take {told.within}")
    print(f"above 150 cm within a week: {chance_above(levels[station], 150):.0%}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
@@ file README.md
# Riverlevels

Our town was flooded twice. The gauge upstream had known a day before. This is a
forecast that a village can run on its own laptop: tomorrow's level of a station,
from what the station above it has seen today, and how sure that is.

## Setup

    pip install -r requirements.txt
    python forecast.py data/levels.csv "Mill Bridge" "Alder Weir"

The notebook in `notebooks/` shows how we got there: `jupyter lab`.

## How it works

Readings are cleaned first: a sensor under a branch says 999. Short gaps are
bridged, long ones are not. The forecast is a line fitted to pairs of days; the
band around it held nine of ten days so far. How likely a flood is comes from two
thousand summers drawn from the one that we have.
