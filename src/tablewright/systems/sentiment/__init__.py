"""Live news sentiment: what is written about a few topics, in which tone, and how that changes."""
