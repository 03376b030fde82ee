"""Is every measured case a row, and does docs/retracing.md list those in which we differ?"""

from __future__ import annotations

from .page import PAGE, page
from .rows import NUMBERS, rows


def test_every_case_is_a_row() -> None:
    assert {row.number for row in rows()} == set(NUMBERS)


def test_every_deviation_has_a_reason() -> None:
    deviations = [row.deviation for row in rows() if row.deviation is not None]

    assert all(each.here and each.why for each in deviations)
    assert len({each.why for each in deviations}) < len(NUMBERS) / 2  # several rows may have one reason


def test_the_page_lists_the_deviations() -> None:
    assert PAGE.read_text() == page(), "run: python -m tests.semantics.page"
