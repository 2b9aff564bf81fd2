"""Holds a commit's message to the form that CONTRIBUTING.md asks for.

python scripts/check_message.py FILE

The subject says in fewer than 72 characters what the commit does; the reason follows behind an empty line.
"""

from __future__ import annotations

import sys
from pathlib import Path

LONGEST_SUBJECT = 71


def check(message: str) -> list[str]:
    """What is wrong with a message.

    >>> check("Search: what is cut\\n\\nIt took too long.\\n"), check("")
    ([], ['there is no subject'])
    """
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject = lines[0].rstrip() if lines else ""
    found = [] if subject else ["there is no subject"]
    if len(subject) > LONGEST_SUBJECT:
        found.append(
            f"the subject has {len(subject)} characters, more than {LONGEST_SUBJECT}: say the rest in the body"
        )
    if subject.endswith("."):
        found.append("the subject ends with a full stop")
    if len(lines) > 1 and lines[1].strip():
        found.append("the body begins right behind the subject: leave a line between them")
    return found


def main() -> int:
    found = check(Path(sys.argv[1]).read_text(encoding="utf-8"))
    for each in found:
        print(f"{sys.argv[1]}: {each}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
