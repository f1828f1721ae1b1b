"""What the rows say together: whose host, which clock, which series."""
