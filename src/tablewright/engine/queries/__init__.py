"""Query and Scan."""
