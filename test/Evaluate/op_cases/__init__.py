"""Programs of a single op, for the comparison with XLA: what is generated for each family of ops."""
