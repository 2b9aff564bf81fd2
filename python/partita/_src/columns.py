"""Text that fits on a screen: rows as the tool makes them (`Report/Columns.h`)."""

from __future__ import annotations

SCREEN_COLUMNS, SCREEN_LINES = 120, 40


def wrap(label: str, text: str, indent: int | None = None) -> list[str]:
    """A sentence behind its label, in rows. Rows end behind a `;`, or else behind a `,` outside parentheses, or else
    outside parentheses, as long as that leaves them half full, and else at any space; all but the first one have spaces
    in place of the label.

    >>> wrap("strategy: ", "a" * 59 + "; " + "b" * 80) == ["strategy: " + "a" * 59 + ";", " " * 10 + "b" * 80]
    True
    """
    indent = len(label) if indent is None else indent
    rows, start = [], label
    while True:
        end = _find_row_end(text, SCREEN_COLUMNS - len(start))
        rows.append(start + text[:end])
        text, start = text[end:].lstrip(" "), " " * indent
        if not text:
            return rows


def _find_row_end(text: str, columns: int) -> int:
    """The space at which a row of at most that many columns ends; the end of the text if there is none."""
    if len(text) <= columns:
        return len(text)
    clause = item = outside = word = depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign != " " or place == 0:
            continue
        if place > columns:
            return clause or item or outside or word or place
        word = place
        if place >= columns // 2:
            clause = place if text[place - 1] == ";" else clause
            item = place if text[place - 1] == "," and depth <= 0 else item
            outside = place if depth <= 0 else outside
    return clause or item or outside or word or len(text)


def cut(text: str, width: int) -> str:
    """A text that is too long without its middle, and without parts of words: the end of a change names the axis.

    >>> cut("without hidden of params/w over model", 20)
    'without ... model'
    >>> cut("without " + 20 * "a", 20)
    'without ...aaaaaaaa'
    """
    if len(text) <= width:
        return text
    end = (width - 3) // 2
    front, back = text[: width - 3 - end], text[-end:]
    if (space := front.rfind(" ")) >= max(0, len(front) // 2):
        front = front[: space + 1]
    word = min((place for place in (back.find(" "), back.find("/")) if place >= 0), default=len(back))
    return f"{front}...{back[word if word <= len(back) // 2 else 0 :]}"
