"""What the search finds beside what people write by hand, as README.md shows it, from docs/found.json (bench/found.py):

python scripts/found_chart.py             writes docs/images/found-light.svg, found-dark.svg and the table in README.md
python scripts/found_chart.py --table     prints the table; needs no matplotlib
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs" / "found.json"
IMAGES = ROOT / "docs" / "images"
README = ROOT / "README.md"
BEGIN, END = "<!-- scripts/found_chart.py -->\n", "<!-- end -->\n"

LOOKS = {
    "light": {"text": "#1f2328", "muted": "#59636e", "hand": "#c8ced5", "found": "#2f6fd0"},
    "dark": {"text": "#e6edf3", "muted": "#9aa4af", "hand": "#4a525c", "found": "#5b9cf5"},
}


def read_figures() -> list[dict[str, Any]]:
    figures: list[dict[str, Any]] = json.loads(FIGURES.read_text())
    return figures


def print_time(ps: int) -> str:
    """
    >>> print_time(4_270_000_000_000), print_time(658_400_000_000), print_time(24_760_000_000)
    ('4.27 s', '658 ms', '24.8 ms')
    """
    ms = ps / 1e9
    return f"{ms / 1000:.2f} s" if ms >= 1000 else f"{ms:.0f} ms" if ms >= 100 else f"{ms:.1f} ms"


def describe_gain(row: dict[str, Any]) -> str:
    """How much less time the found plan takes."""
    if row["found_fits"] and not row["by_hand_fits"]:
        return "fits"
    gain = 1 - row["found_ps"] / row["by_hand_ps"]
    return "the same" if abs(gain) < 0.005 else f"{100 * gain:.0f}% less"


def write_table(figures: list[dict[str, Any]]) -> str:
    heads = ["model", "on", "by hand", "time", "found by Partita", "time", "memory", "best possible"]
    lines = [f"| {' | '.join(heads)} |\n", "| --- | --- | --- | ---: | --- | ---: | ---: | ---: |\n"]
    for row in figures:
        memory = f"{row['found_bytes'] / 1e9:.1f} of {row['limit_bytes'] / 1e9:.1f} GB"
        cells = [row["model"], f"{row['machine']}, `{row['mesh']}`", row["by_hand"], print_time(row["by_hand_ps"])]
        cells += [row["found"], print_time(row["found_ps"]), memory, f"≥ {print_time(row['lower_bound_ps'])}"]
        lines.append(f"| {' | '.join(cells)} |\n")
    return "".join(lines)


def draw(figures: list[dict[str, Any]], look: dict[str, str], path: Path) -> None:
    """A pair of bars for each model, by hand and found, as shares of the time by hand."""
    import matplotlib

    matplotlib.use("svg")
    # Text stays text, and the same figures give the same bytes.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "partita", "font.family": "sans-serif"})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 0.62 * len(figures) + 0.9))
    figure.patch.set_alpha(0)
    axes.patch.set_alpha(0)
    for number, row in enumerate(figures):
        share = row["found_ps"] / row["by_hand_ps"]
        axes.barh(number - 0.19, 1, 0.34, color=look["hand"])
        axes.barh(number + 0.19, share, 0.34, color=look["found"])
        note = {"va": "center", "fontsize": 9, "color": look["text"]}
        axes.text(1.01, number - 0.19, print_time(row["by_hand_ps"]), **note)
        axes.text(share + 0.01, number + 0.19, f"{print_time(row['found_ps'])}, {describe_gain(row)}", **note)
        axes.text(-0.012, number - 0.13, row["model"], ha="right", **{**note, "fontsize": 10, "weight": "bold"})
        axes.text(-0.012, number + 0.24, row["machine"], ha="right", **{**note, "fontsize": 8, "color": look["muted"]})
    for label, color, x in (("by hand", look["hand"], 0.0), ("found by Partita", look["found"], 0.16)):
        axes.add_patch(pyplot.Rectangle((x, -0.98), 0.02, 0.22, color=color, clip_on=False))
        axes.text(x + 0.027, -0.86, label, va="center", fontsize=9, color=look["text"])
    axes.text(
        1, -0.86, "predicted time of a step, less is better", ha="right", va="center", fontsize=9, color=look["muted"]
    )
    axes.set(xlim=(0, 1.2), ylim=(len(figures) - 0.45, -1.05), xticks=[], yticks=[])
    for side in axes.spines.values():
        side.set_visible(False)
    figure.subplots_adjust(left=0.16, right=0.99, top=0.99, bottom=0.01)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Date": None, "Title": "What Partita finds beside what people write by hand"})
    pyplot.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help="prints the table and writes nothing")
    figures = read_figures()
    if parser.parse_args().table:
        print(write_table(figures), end="")
        return 0
    for name, look in LOOKS.items():
        draw(figures, look, IMAGES / f"found-{name}.svg")
    head, rest = README.read_text().split(BEGIN)
    README.write_text(head + BEGIN + write_table(figures) + END + rest.split(END)[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
