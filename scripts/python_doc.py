"""Prints docs/python.md, the reference of the Python package, from its docstrings.

python scripts/python_doc.py > docs/python.md
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

import partita
from partita import machines, presets, stages

SECTIONS: list[tuple[str, list[str]]] = [
    (
        "Planning",
        ["plan", "jit", "load", "shardings", "logical", "Logical", "kernel", "attention", "find_binary"],
    ),
    ("Tactics", ["tile", "replicate", "cut", "side", "accumulate", "recompute", "keep", "auto", "Tactic"]),
    (
        "Plans",
        ["Plan", "PlannedFunction", "Report", "Comparison", "ExportedRules", "Check", "Verification"],
    ),
    ("Sweeps", ["sweep", "Sweep", "SweepRow"]),
    ("Calibration", ["measure", "calibrate", "Calibration"]),
    (
        "Errors",
        ["PartitaError", "UsageError", "InputError", "UnsupportedError", "DifferenceError", "LimitError", "FileError",
         "InternalError", "DoesNotFitWarning", "UnpricedWarning", "IncompleteWarning"],
    ),
]  # fmt: skip
MODULES: list[tuple[str, Any, list[str]]] = [
    ("Presets", presets, ["data_parallel", "fsdp", "zero2", "zero3", "megatron", "pipeline"]),
    ("Machines", machines, ["list_presets", "describe", "of_devices"]),
    ("Stages", stages, ["PlannedJit", "Lowered", "Compiled"]),
]
HEAD = """# The Python package

What stands here is public: the names of `partita`, and its modules `partita.presets`,
`partita.machines` and `partita.stages`. The rest of the package is in `partita._src`, and may change with any version.

Made from the docstrings by `scripts/python_doc.py`; a test holds it against them. [tutorial.md](tutorial.md) begins at
the beginning, [howto.md](howto.md) answers questions.
"""


def signature_of(name: str, value: Any) -> str:
    """Without annotations that say less than the text."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return name
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in found.parameters.values()
        if parameter.name != "self"
    ]
    return f"{name}{found.replace(parameters=plain, return_annotation=inspect.Signature.empty)}"


def describe(name: str, value: Any) -> str:
    """A heading and the docstring; code that begins with >>> is fenced."""
    lines = [f"### `{signature_of(name, value)}`" if not inspect.isclass(value) else f"### `{name}`", ""]
    lines += fence((inspect.getdoc(value) or "").splitlines())
    return "\n".join(lines)


def fence(lines: list[str]) -> list[str]:
    result: list[str] = []
    inside = ""
    for line in lines:
        starts = "code" if line.startswith((">>>", "...")) else ""
        if not inside and starts == "code":
            result.append("```python")
            inside = "code"
        elif inside == "code" and not line.strip():
            result.append("```")
            inside = ""
        if line == "Args:":
            continue
        result.append(line if inside else list_item(line))
    return [*result, "```"] if inside else result


def list_item(line: str) -> str:
    """`  name: text` begins an item; what is indented further goes on with it, whatever it holds."""
    begun = re.match(r"  (\S.*?): (.*)", line)
    if begun:
        return f"- `{begun[1]}`: {begun[2]}"
    return f"  {line.strip()}" if line.startswith("  ") else line


def members(value: Any) -> list[str]:
    """The public methods and properties of a class, with the first paragraph of what they say."""
    rows = []
    for name, member in vars(value).items():
        if name.startswith("_") or not (callable(member) or isinstance(member, property)):
            continue
        text = (inspect.getdoc(member) or "").split("\n\n")[0].replace("\n", " ")
        shown = name if isinstance(member, property) else signature_of(name, member)
        if text:
            rows.append(f"- `{shown}`: {text}")
    return rows


def main() -> int:
    parts = [HEAD]
    for title, names in SECTIONS:
        parts.append(f"## {title}\n")
        for name in names:
            value = getattr(partita, name)
            parts.append(describe(name, value) + "\n")
            if inspect.isclass(value) and title == "Plans" and members(value):
                parts.append("\n".join(members(value)) + "\n")
    for title, module, names in MODULES:
        parts += [f"## {title}\n", *fence((inspect.getdoc(module) or "").splitlines()), ""]
        short = module.__name__.removeprefix("partita.")
        for name in names:
            value = getattr(module, name)
            parts.append(describe(f"{short}.{name}", value) + "\n")
            if inspect.isclass(value):
                parts.append("\n".join(members(value)) + "\n")
    print("\n".join(parts).rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
