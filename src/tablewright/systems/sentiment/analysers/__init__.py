"""Models that judge texts."""
