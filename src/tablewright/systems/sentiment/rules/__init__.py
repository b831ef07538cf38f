"""What holds, as pure functions: no I/O, no clock of their own."""
