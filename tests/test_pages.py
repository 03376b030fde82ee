"""Do the programs on the pages of docs/ print what the pages say?"""

from __future__ import annotations

import re

import pytest

from tests import pages

LEAST = {
    "tutorial": 8,
    "statements": 9,
    "limits": 6,
    "from_tensorflow": 3,
    "from_lax": 3,
    "from_modules": 6,
    "inside": 3,
    "converter": 2,
    "functions": 9,
    "side_effects": 9,
    "explain": 7,
    "report": 3,
    "slices": 9,
    "gradients": 4,
    "loops": 7,
    "verify": 7,
    "vmap": 3,
    "logging": 2,
    "ecosystem": 5,
}  # programs that print
# tests/errors, tests/export/test_page.py
ELSEWHERE = {"errors", "saving"}
NEEDS = {"from_modules": ("equinox", "flax", "optax")}


@pytest.mark.parametrize("name", LEAST)
def test_each_program_prints_what_the_page_says(name: str) -> None:
    for library in NEEDS.get(name, ()):
        pytest.importorskip(library)
    shown = pages.programs(name)
    assert list(pages.printed(name, shown)) == [program.said for program in shown]
    assert sum(bool(program.said) for program in shown) >= LEAST[name]


def test_no_page_with_programs_is_left_out() -> None:
    found = {path.stem for path in pages.DOCS.glob("*.md") if "\n```python\n" in path.read_text()}
    assert found == {*LEAST} | ELSEWHERE


def test_every_text_on_a_page_stands_below_a_program() -> None:
    for name in LEAST:
        text = (pages.DOCS / f"{name}.md").read_text()
        assert text.count("```text\n") == sum(bool(program.said) for program in pages.programs(name))


@pytest.mark.parametrize("name", ["functions", "explain", "statements", "limits", "from_modules", "inside"])
def test_the_contents_of_a_page_are_its_sections(name: str) -> None:
    text = (pages.DOCS / f"{name}.md").read_text()
    links = re.findall(r"^- \[(.*)\]\(#(.*)\)$", text, re.MULTILINE)
    sections = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert links == [(title, re.sub(r"[^\w ]", "", title).replace(" ", "-").lower()) for title in sections]


def test_the_worked_example_of_a_converter_stays_short() -> None:
    assert len((pages.DOCS / "converter.md").read_text().splitlines()) < 150
