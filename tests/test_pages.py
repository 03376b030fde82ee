"""Do the programs on the pages of docs/ print what the pages say?"""

from __future__ import annotations

import re

import pytest

from tests import pages


@pytest.mark.parametrize("name", ["functions", "side_effects"])
def test_each_program_prints_what_the_page_says(name: str) -> None:
    shown = pages.programs(name)
    assert list(pages.printed(name, shown)) == [program.said for program in shown]
    assert sum(bool(program.said) for program in shown) >= 9


def test_every_text_on_a_page_stands_below_a_program() -> None:
    for name in ("functions", "side_effects"):
        text = (pages.DOCS / f"{name}.md").read_text()
        assert text.count("```text\n") == sum(bool(program.said) for program in pages.programs(name))


def test_the_contents_of_functions_are_its_sections() -> None:
    text = (pages.DOCS / "functions.md").read_text()
    links = re.findall(r"^- \[(.*)\]\(#(.*)\)$", text, re.MULTILINE)
    sections = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert links == [(title, re.sub(r"[^\w ]", "", title).replace(" ", "-").lower()) for title in sections]
