"""`python -m partita` is the command-line tool: this process becomes it. `calibrate` and `measure` are Python's own."""

from __future__ import annotations

import os
import sys

from partita._src.binary import find_binary

_UNSUPPORTED = 69


def main() -> int:
    if sys.argv[1:2] == ["calibrate"]:
        from partita._src.calibrate_command import main as calibrate

        return calibrate(sys.argv[2:])
    if sys.argv[1:2] == ["measure"]:
        from partita._src.measuring import main as measure

        return measure(sys.argv[2:])
    try:
        binary = find_binary()
    except FileNotFoundError as error:
        print(f"error: {error}", file=sys.stderr)
        return _UNSUPPORTED
    os.execv(binary, [str(binary), *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
