"""`python -m partita` is the command-line tool: this process becomes it."""

from __future__ import annotations

import os
import sys

from partita._src.binary import find_binary

_UNSUPPORTED = 69


def main() -> int:
    try:
        binary = find_binary()
    except FileNotFoundError as error:
        print(f"error: {error}", file=sys.stderr)
        return _UNSUPPORTED
    os.execv(binary, [str(binary), *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
