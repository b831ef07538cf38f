"""The use cases of pricekeeper, one module per subject; :mod:`keeper` holds them together."""
