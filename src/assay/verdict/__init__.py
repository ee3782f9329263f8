"""What the numbers say. Pure functions: no I/O, no clock."""
