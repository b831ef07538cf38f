"""Backups, point-in-time recovery, export and import."""
