"""Use cases: what can be done, whoever asks."""
