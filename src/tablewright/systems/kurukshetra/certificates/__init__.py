"""Certificates: their codes, and the page that is printed."""
