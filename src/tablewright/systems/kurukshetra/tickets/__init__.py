"""Tickets: signed texts that a door can check on its own, and their QR codes."""
