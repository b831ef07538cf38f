@@ project shoreshare
@@ author vic Vic Lundgren <vic@shoreshare.example>

@@ commit 2026-09-20 09:05 vic
Shoreshare: share boats and gear
@@ take toolshed requirements.txt as requirements.txt
@@ take toolshed toolshed/__init__.py as toolshed/__init__.py
@@ take toolshed toolshed/loans.py as toolshed/loans.py
@@ take toolshed toolshed/store.py as toolshed/store.py
@@ take toolshed toolshed/schemas.py as toolshed/schemas.py
@@ take toolshed toolshed/settings.py as toolshed/settings.py
@@ take toolshed toolshed/places.py as toolshed/places.py
@@ take toolshed toolshed/nearby.py as toolshed/nearby.py
@@ take toolshed toolshed/app.py as toolshed/app.py
@@ take toolshed toolshed/__main__.py as toolshed/__main__.py
@@ take toolshed migrations/001_tools.sql as migrations/001_tools.sql
@@ take toolshed migrations/002_loans.sql as migrations/002_loans.sql

@@ commit 2026-09-20 11:28 vic
boats have a length, and a price for a day
@@ file toolshed/boats.py
"""Boats are tools that float."""

BY_METRE = 4.5


def price(metres: float, days: int) -> float:
    """Longer loans are cheaper by the day."""
    whole = metres * BY_METRE * days
    if days >= 7:
        return round(whole * 0.8, 2)
    if days >= 3:
        return round(whole * 0.9, 2)
    return round(whole, 2)
@@ edit toolshed/app.py
    app = FastAPI(title="Toolshed")
@@ into
    app = FastAPI(title="Shoreshare")
@@ edit toolshed/app.py
    return app
@@ into
    @app.get("/api/v1/price")
    def price_of(metres: float, days: int) -> dict[str, float]:
        return {"price": price(metres, days)}

    return app
@@ edit toolshed/app.py
from toolshed.loans import
@@ into
from toolshed.boats import price
from toolshed.loans import

@@ commit 2026-09-20 15:16 vic
Readme
@@ file README.md
# Shoreshare

Share boats, boards and fishing gear with people at your shore.

## Setup

    pip install -r requirements.txt
    python -m toolshed

Then look at http://localhost:8000/docs.

## What is next

Payments, weather, and a map.
