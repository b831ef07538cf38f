"""What holds whatever is stored where: scores, prices, estimates. Nothing in here does I/O."""
