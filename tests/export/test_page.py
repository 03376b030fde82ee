"""Do the programs in docs/saving.md run, in their order?"""

from __future__ import annotations

import autograph_lite
from tests import pages


def test_the_programs_of_the_page_run():
    try:
        out = "".join(pages.printed("saving", pages.programs("saving")))
    finally:
        autograph_lite.disable_compilation_cache()
    assert "for which it was not saved" in out
