"""A hook of mkdocs (mkdocs.yml), so that documents are read the same in the site and as files.

Files outside of docs/ that documents link to become pages: `../examples/llama.py` is `examples/llama.md` there, with
the file as a block of code. A list may follow a paragraph without an empty line, as GitHub reads it.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.structure.files import Files

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
LINK = re.compile(r"(?<=\]\()(?P<file>(?:\.\./)+[^)#\s]+)(?P<anchor>#[^)\s]*)?(?=\))")
LIST = re.compile(r"^(?:[-*]|\d+\.) ")
LANGUAGES = {".py": "python", ".json": "json", ".md": "markdown", ".cpp": "cpp"}


def find_outside(document: str, link: str) -> str | None:
    """Where a file that is linked from a document lies in the repository; None if it lies in docs/.

    >>> find_outside("howto/hosts.md", "../../examples/llama.py")
    'examples/llama.py'
    >>> find_outside("howto/hosts.md", "../machines.md") is None
    True
    """
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(document), link))
    return None if path.startswith("docs/") else path


def list_outside() -> list[str]:
    """The files that some document links to."""
    found = set()
    for document in sorted(DOCS.rglob("*.md")):
        name = document.relative_to(DOCS).as_posix()
        found |= {find_outside(name, link["file"]) for link in LINK.finditer(document.read_text())}
    return sorted(path for path in found if path)


def to_page(path: str) -> str:
    """`examples/llama.md` of `examples/llama.py`."""
    return str(Path(path).with_suffix(".md"))


def write_page(path: str) -> str:
    file = ROOT / path
    return f"# {file.name}\n\n````{LANGUAGES.get(file.suffix, 'text')}\n{file.read_text()}````\n"


def rewrite_links(markdown: str, document: str) -> str:
    def rewrite(link: re.Match[str]) -> str:
        path = find_outside(document, link["file"])
        if path is None:
            return link[0]
        return posixpath.relpath(to_page(path), posixpath.dirname(document) or ".")

    return LINK.sub(rewrite, markdown)


def separate_lists(markdown: str) -> str:
    """With an empty line before each list.

    >>> separate_lists("by\\n- a\\n  more\\n- b")
    'by\\n\\n- a\\n  more\\n- b'
    """
    lines: list[str] = []
    is_code = is_list = False
    for line in markdown.split("\n"):
        is_code ^= line.startswith("```")
        if LIST.match(line) and not is_code:
            if lines and lines[-1] and not is_list:
                lines.append("")
            is_list = True
        elif not line.startswith(" "):
            is_list = False
        lines.append(line)
    return "\n".join(lines)


def on_files(files: Files, config: Any) -> Files:
    """Called by mkdocs: adds the pages."""
    from mkdocs.structure.files import File

    for path in list_outside():
        files.append(File.generated(config, to_page(path), content=write_page(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Called by mkdocs."""
    return separate_lists(rewrite_links(markdown, page.file.src_uri))
