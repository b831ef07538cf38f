"""How each system is used: real requests by several people and programs at once."""
