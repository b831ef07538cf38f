"""What pricekeeper decides, as functions without I/O."""
