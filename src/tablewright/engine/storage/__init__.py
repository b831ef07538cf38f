"""Underneath: the data folder, SQLite, and group commit."""
