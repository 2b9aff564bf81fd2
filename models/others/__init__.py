"""Models of other people's packages, planned, run on eight virtual devices and compared: `make models`."""
