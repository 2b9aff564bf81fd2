"""What `scripts/check_windows.py` makes of its rows, and when it fails: a part of it, run."""

from __future__ import annotations

import pytest

import check_windows
from check_windows import ROWS, SIZES, check_in_folder, complaints


@pytest.mark.parametrize("name", ["convolution", "three convolutions, VALID", "cumulative sum", "reverse", "sort"])
def test_rows_are_split_as_the_table_says(name: str) -> None:
    cells = {size: check_in_folder(ROWS[name], rows) for size, rows in SIZES.items()}
    assert complaints(name, cells) == []


def test_what_becomes_whole_fails() -> None:
    split = dict.fromkeys(SIZES, "split")
    assert complaints("convolution", split) == []
    assert complaints("convolution", {**split, "uneven": "whole"}) == ["convolution, uneven: whole, not split"]
    assert complaints("convolution", {**split, "even": "WRONG"}) == ["convolution, even: WRONG, not split"]
    # What newly is split has to be taken off the list.
    listed = check_windows.NOT_SPLIT["sort"]
    assert complaints("sort", listed) == []
    assert complaints("sort", {**listed, "even": "split"}) == ["sort, even: split, not whole"]


def test_the_table_has_rows_and_sizes_that_are_there() -> None:
    for name, cells in check_windows.NOT_SPLIT.items():
        assert name in ROWS and set(cells) <= set(SIZES) and "split" not in cells.values()
