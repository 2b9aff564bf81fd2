"""Holds every #include of partita/ and tools/ against the rooms that CMakeLists.txt declares.

A source of room A may include headers of A and of the rooms that `partita_room(A DEPENDS ...)` names, and of what those
see. Only a room that names MLIR may include MLIR's headers; every room may include LLVM's Support, ADT and Config.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOM = re.compile(r"^\s*partita_room\((\w+)(?:\s+DEPENDS\s+([\w\s]+))?\)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.MULTILINE)
LLVM_FOLDERS = ("llvm/ADT/", "llvm/Support/", "llvm/Config/")


def declared_rooms(cmake: str) -> dict[str, set[str]]:
    """Room -> everything it may see (itself and its dependencies' dependencies included)."""
    direct = {name: set((deps or "").split()) for name, deps in ROOM.findall(cmake)}
    seen: dict[str, set[str]] = {}
    for name, deps in direct.items():
        unknown = deps - set(seen) - {"MLIR"}
        if unknown:
            raise ValueError(f"room {name} depends on {sorted(unknown)}, declared later or never")
        seen[name] = {name} | deps | {d for dep in deps - {"MLIR"} for d in seen[dep]}
    return seen


def complaints(path: str, text: str, room: str, visible: set[str]) -> list[str]:
    """What `path`, a source of `room`, includes and may not."""
    found = []
    for header in INCLUDE.findall(text):
        if header.startswith("partita/"):
            target = header.split("/")[1]
            if target not in visible:
                found.append(f"{path}: room {room} may not include {header} (it sees {sorted(visible)})")
        elif header.startswith("mlir") and "MLIR" not in visible:
            found.append(f"{path}: room {room} is without MLIR and may not include {header}")
        elif header.startswith("llvm/") and "MLIR" not in visible and not header.startswith(LLVM_FOLDERS):
            found.append(f"{path}: room {room} may include only {LLVM_FOLDERS} of LLVM, not {header}")
    return found


def check(root: pathlib.Path) -> list[str]:
    rooms = declared_rooms((root / "CMakeLists.txt").read_text())
    found = []
    for file in sorted((root / "partita").rglob("*")):
        if file.suffix not in (".h", ".cpp"):
            continue
        relative = file.relative_to(root)
        room = relative.parts[1]
        if room not in rooms:
            found.append(f"{relative}: folder {room} is not a declared room")
            continue
        found += complaints(str(relative), file.read_text(), room, rooms[room])
    return found


if __name__ == "__main__":
    wrong = check(ROOT)
    print("\n".join(wrong) or "rooms: every include is allowed")
    sys.exit(1 if wrong else 0)
