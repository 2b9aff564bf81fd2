"""Holds every #include of partita/ and tools/ against the rooms that CMakeLists.txt declares.

A source of room A may include headers of A and of the rooms that `partita_room(A DEPENDS ...)` names, and of what those
see. Only a room that names MLIR may include MLIR's headers; every room may include LLVM's Support, ADT and Config.
Tests (`*Test.cpp`) may also include what they share, the room Testing, which no other source may; it may see all rooms.

Each room but Support and Dialect has a namespace of its own, and a header Rooms.h that names the rooms whose names it
uses as its own: those that CMakeLists.txt names.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOM = re.compile(r"^\s*partita_(?:testing_)?room\((\w+)(?:\s+DEPENDS\s+([\w\s]+))?\)", re.MULTILINE)
TESTING = "Testing"
# Their names stand in `partita` itself, or in the dialects' own namespaces.
WITHOUT_NAMESPACE = {"Support", "Dialect"}
NAMESPACES = {"ValidateRules": "validate", TESTING: "fixtures"}
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


def namespace_of(room: str) -> str:
    return NAMESPACES.get(room, room.lower())


def check_used_rooms(room: str, text: str, depends: set[str]) -> list[str]:
    """Whether a room's Rooms.h names the rooms that it depends on."""
    used = set(re.findall(r"using namespace (\w+);", text))
    declared = {namespace_of(other) for other in depends - WITHOUT_NAMESPACE - {"MLIR"}}
    if used == declared or (room == TESTING and declared <= used):
        return []
    return [f"partita/{room}/Rooms.h uses {sorted(used)}, CMakeLists.txt says {sorted(declared)}"]


def check_namespace(path: str, text: str, room: str) -> list[str]:
    """Whether a source of a room with a namespace declares it."""
    opened = re.findall(r"^namespace (partita[\w:]*)", text, re.MULTILINE)
    own = f"partita::{namespace_of(room)}"
    if room in WITHOUT_NAMESPACE or not opened or any(name == own or name.startswith(f"{own}::") for name in opened):
        return []
    return [f"{path}: room {room} has the namespace {own}, not {opened[0]}"]


def check(root: pathlib.Path) -> list[str]:
    cmake = (root / "CMakeLists.txt").read_text()
    rooms = declared_rooms(cmake)
    rooms[TESTING] = set(rooms) | {"MLIR"}
    found = []
    for room, depends in ROOM.findall(cmake):
        if room not in WITHOUT_NAMESPACE:
            used = (root / "partita" / room / "Rooms.h").read_text()
            found += check_used_rooms(room, used, set(depends.split()))
    for file in sorted((root / "partita").rglob("*")):
        if file.suffix not in (".h", ".cpp"):
            continue
        relative = file.relative_to(root)
        room = relative.parts[1]
        if room not in rooms:
            found.append(f"{relative}: folder {room} is not a declared room")
            continue
        visible = rooms[room] | {TESTING} if file.name.endswith("Test.cpp") else rooms[room]
        found += complaints(str(relative), file.read_text(), room, visible)
        found += check_namespace(str(relative), file.read_text(), room)
    return found


if __name__ == "__main__":
    wrong = check(ROOT)
    print("\n".join(wrong) or "rooms: every include is allowed")
    sys.exit(1 if wrong else 0)
