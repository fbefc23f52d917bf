"""nonfat."""
