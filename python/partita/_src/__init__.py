"""What the package is made of. Its public names are in `partita` (docs/python.md); import them from there."""
