"""What follows from what: no I/O, no clock."""
