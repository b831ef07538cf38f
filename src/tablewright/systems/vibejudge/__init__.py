"""Judging of hackathons: agents score repositories with evidence, judges and organisers decide."""
