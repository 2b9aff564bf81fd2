"""Partita, an open automatic SPMD partitioner for StableHLO programs.

Today the package holds the version and finds the command-line tool; `python -m partita` runs it.
"""

from partita.binary import find_binary

__all__ = ["__version__", "find_binary"]
__version__ = "0.1.0"
