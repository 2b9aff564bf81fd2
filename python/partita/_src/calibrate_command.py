"""`partita calibrate`: `partita.calibrate` on the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from partita._src.calibration import calibrate
from partita._src.errors import PartitaError


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="partita calibrate",
        description="A machine's figures, fitted to what was measured on it (docs/machines.md).",
    )
    parser.add_argument("--machine", required=True, help="the machine to start from: a name (h100-sxm:1x8) or a file")
    parser.add_argument("--measured", required=True, help="measured rows, a JSON object a line")
    parser.add_argument("-o", "--output", required=True, help="the machine file to write")
    parser.add_argument("--name", help="what reports call the machine")
    options = parser.parse_args(arguments)
    try:
        result = calibrate(options.machine, options.measured, name=options.name)
        result.save(options.output)
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 74
    except PartitaError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    print(result)
    return 0
