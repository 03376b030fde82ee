"""Do the programs in docs/saving.md run, in their order?"""

from __future__ import annotations

from tests import pages


def test_the_programs_of_the_page_run():
    out = "".join(pages.printed("saving", pages.programs("saving")))
    assert "for which it was not saved" in out
