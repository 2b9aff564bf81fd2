"""Finds two C++ types of one name, and cycles between folders, in partita/.

Types are classes, structs and enums that are defined at namespace scope, in whatever namespace: a reader who meets the
name must not have to ask which. Types nested in others are free. A type in an anonymous namespace of a source counts
only where a header defines one of its name. Folders are rooms and their subfolders (Search and Search/Bound are two);
an #include is an arrow between them, and no arrows may form a cycle.

Sources are read as text: comments, literals and preprocessor lines are dropped, and braces are followed.
"""

import pathlib
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUFFIXES = (".h", ".cpp")
COMMENT = r"//(?:\\\n|[^\n])*|/\*.*?\*/"
RAW_STRING = r'\bR"([^()\\\s]{0,16})\(.*?\)\1"'
# A digit separator is no quote: 1'000.
LITERAL = r"\"(?:\\.|[^\"\\\n])*\"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'"
DROPPED = re.compile(f"{COMMENT}|{RAW_STRING}|{LITERAL}", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+[<"]partita/([^>"]+)/[^/>"]+[>"]', re.MULTILINE)
TOKEN = re.compile(r"[A-Za-z_]\w*|::|\S")
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, set(")]}")
KEYWORDS = ("class", "struct", "enum", "union")


@dataclass(frozen=True)
class Definition:
    """A type defined at namespace scope; a type that only its source can name is `local`."""

    name: str
    path: str
    line: int
    local: bool = False

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True)
class Token:
    text: str
    line: int


def blank(match: re.Match[str]) -> str:
    """Space in place of what is dropped, so that lines keep their numbers."""
    return " " + "\n" * match.group().count("\n")


def tokenize(text: str) -> list[Token]:
    """Names and punctuation; numbers come in pieces, which nobody looks at."""
    code = DIRECTIVE.sub(blank, DROPPED.sub(blank, text))
    tokens, line, seen = [], 1, 0
    for match in TOKEN.finditer(code):
        line += code.count("\n", seen, match.start())
        seen = match.start()
        tokens.append(Token(match.group(), line))
    return tokens


def skip_group(tokens: list[Token], start: int) -> int:
    """The position behind the bracket that closes the one at `start`."""
    depth = 0
    for position in range(start, len(tokens)):
        text = tokens[position].text
        depth += (text in OPENING) - (text in CLOSING)
        if depth == 0:
            return position + 1
    return len(tokens)


def skip_angles(tokens: list[Token], start: int) -> int:
    """The position behind the `>` that closes the `<` at `start`."""
    depth, position = 0, start
    while position < len(tokens):
        text = tokens[position].text
        if text in OPENING:
            position = skip_group(tokens, position)
            continue
        depth += (text == "<") - (text == ">")
        position += 1
        if depth == 0:
            break
    return position


def name_type(head: list[Token]) -> Token | None:
    """The name that a declaration defines as a type, from its tokens before `{`; none for other declarations, for
    specializations and for types of another scope."""
    position = 0
    while position < len(head) and head[position].text == "template":
        position = skip_angles(head, position + 1)
    if position == len(head) or head[position].text not in KEYWORDS:
        return None
    position += 1
    named: Token | None = None
    while position < len(head):
        token = head[position]
        if token.text in ("[", "("):
            position = skip_group(head, position)
            continue
        if token.text == ":":
            break
        if token.text in ("<", "::", "=", "*", "&"):
            return None
        if token.text not in (*KEYWORDS, "final"):
            named = token
        position += 1
    return named


def read_types(path: str, text: str) -> Iterator[Definition]:
    """The types that a file defines at namespace scope."""
    tokens = tokenize(text)
    scopes: list[bool] = []  # Whether each namespace around is anonymous.
    head: list[Token] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token.text == "{":
            words = [part.text for part in head]
            if "namespace" in words or words == ["extern"]:
                scopes.append(words[-1] == "namespace")
                position, head = position + 1, []
                continue
            position = skip_group(tokens, position)
            named = name_type(head)
            if named is not None:
                yield Definition(named.text, path, named.line, any(scopes) and path.endswith(".cpp"))
            # A function ends here, a type or an initializer with the `;` that follows.
            following = tokens[position].text if position < len(tokens) else ""
            head = head if following in (",", ";") else []
            continue
        if token.text == "}":
            if scopes:
                scopes.pop()
            head = []
        elif token.text == ";":
            head = []
        elif token.text in OPENING:
            end = skip_group(tokens, position)
            head += tokens[position:end]
            position = end
            continue
        else:
            head.append(token)
        position += 1


def find_namesakes(definitions: list[Definition]) -> list[str]:
    """Names that several types have, with where each is defined."""
    by_name: dict[str, list[Definition]] = defaultdict(list)
    for definition in definitions:
        by_name[definition.name].append(definition)
    found = []
    for name, all_of_it in sorted(by_name.items()):
        in_header = any(definition.path.endswith(".h") for definition in all_of_it)
        counted = [definition for definition in all_of_it if in_header or not definition.local]
        if len(counted) > 1:
            found.append(f"{len(counted)} types are called {name}: {', '.join(map(str, counted))}")
    return found


Arrows = dict[str, dict[str, list[str]]]
"""Folder -> folder that it includes -> `file includes header` of each include."""


def read_arrows(sources: dict[str, str]) -> Arrows:
    arrows: Arrows = defaultdict(lambda: defaultdict(list))
    for path, text in sources.items():
        # Tests may look at everything, and what they share lies beside the product.
        if path.endswith("Test.cpp") or path.startswith("partita/Testing/"):
            continue
        folder = str(pathlib.PurePosixPath(path).parent).removeprefix("partita/")
        code = re.sub(COMMENT, blank, text, flags=re.DOTALL)
        for match in INCLUDE.finditer(code):
            # A room names its dependencies in Rooms.h, which its subfolders include, too.
            if match.group(1) != folder and not match.group().endswith('/Rooms.h"'):
                header = re.split('[<"]', match.group().rstrip('>"'))[-1]
                arrows[folder][match.group(1)].append(f"{path} includes {header}")
    return arrows


def reachable(arrows: Arrows, start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for target in arrows.get(waiting.pop(), {}):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen


def find_cycles(arrows: Arrows) -> list[str]:
    """Each set of folders that reach one another, with the includes between them: the fewest, which are the easiest to
    do without, first."""
    reached = {folder: reachable(arrows, folder) for folder in arrows}
    found, seen = [], set[str]()
    for folder in sorted(arrows):
        if folder in seen or folder not in reached[folder]:
            continue
        knot = sorted(other for other in reached[folder] if folder in reached.get(other, ()))
        seen |= set(knot)
        inside = [
            (len(includes), start, end, includes)
            for start in knot
            for end, includes in arrows[start].items()
            if end in knot
        ]
        lines = [f"folders include each other in a cycle: {', '.join(knot)}"]
        for count, start, end, includes in sorted(inside):
            lines.append(f"  {start} -> {end}, {count} includes")
            lines += [f"    {include}" for include in sorted(includes)]
        found.append("\n".join(lines))
    return found


def check(root: pathlib.Path) -> list[str]:
    files = sorted(path for path in (root / "partita").rglob("*") if path.suffix in SUFFIXES)
    sources = {path.relative_to(root).as_posix(): path.read_text() for path in files}
    definitions = [definition for path, text in sources.items() for definition in read_types(path, text)]
    return find_namesakes(definitions) + find_cycles(read_arrows(sources))


if __name__ == "__main__":
    wrong = check(ROOT)
    print("\n".join(wrong) or "types: every name is one type's, and no folders include each other in a cycle")
    sys.exit(1 if wrong else 0)
