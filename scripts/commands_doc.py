"""Prints docs/commands.md, the reference of the command line, from what the tool says of itself.

python scripts/commands_doc.py [PARTITA] > docs/commands.md
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAD = """# The command line

Made from the tool's own help by `scripts/commands_doc.py`; a test knows if a command or an option is missing.
`python -m partita` is the same tool. What went wrong is the exit code: [design.md](design.md) has them all.
"""


def ask(tool: Path, *words: str) -> str:
    return subprocess.run([tool, *words, "--help"], capture_output=True, text=True, check=True).stdout


def list_commands(tool: Path) -> list[tuple[str, str]]:
    """Each command with its arguments, and what it does."""
    return re.findall(r"^  ([a-z-]+(?: \[?[A-Z]+(?:\.{3})?\]?)*) +([A-Z][a-z].*)$", ask(tool), re.MULTILINE)


def list_options(tool: Path, command: str) -> list[tuple[str, str]]:
    """Each option with its value, and its help."""
    return re.findall(r"^  (--\S+)\n      (.*)$", ask(tool, command), re.MULTILINE)


def group_options(options: dict[str, list[tuple[str, str]]]) -> dict[tuple[str, ...], list[tuple[str, str]]]:
    """Options by the commands that take them, those of the most commands first."""
    takers: dict[tuple[str, str], list[str]] = {}
    for command, listed in options.items():
        for option in listed:
            takers.setdefault(option, []).append(command)
    groups: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for option, commands in takers.items():
        groups.setdefault(tuple(commands), []).append(option)
    return dict(sorted(groups.items(), key=lambda group: -len(group[0])))


def main() -> int:
    tool = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "bin" / "partita"
    commands = list_commands(tool)
    print(HEAD)
    print("## Commands\n")
    for words, text in commands:
        print(f"- `partita {words}`: {text}")
    options = {words.split()[0]: list_options(tool, words.split()[0]) for words, _ in commands}
    print("\nA command takes the options of the groups that name it, and no others.")
    for takers, listed in group_options(options).items():
        names = "every command" if len(takers) == len(commands) else ", ".join(takers)
        print(f"\n## Options of {names}\n")
        for option, text in listed:
            print(f"- `{option}`: {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
