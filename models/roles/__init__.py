"""Programs of other people's trainers and servers with the role of each argument, for `make check-roles`."""
