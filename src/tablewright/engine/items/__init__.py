"""Items by their key: one, in batches, in transactions, and what every write ends in."""
