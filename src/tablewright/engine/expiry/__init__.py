"""Time to live: the index of expiring items, and the sweeper."""
