"""Models of other people's packages, run as planned: see `models/others/run.py`. They need requirements-models.txt."""
