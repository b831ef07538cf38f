"""Use cases, one module for each subject; :class:`~.courtroom.Courtroom` holds them all."""
