"""Is every page of docs/ on the site, does every link lead somewhere, and is the API page complete?"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import autograph_lite
from tests.pages import DOCS

PAGES = sorted(path.name for path in DOCS.glob("*.md"))
_BLOCK = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def prose(page: str) -> str:
    """A page without its programs and what they print."""
    return _BLOCK.sub("", (DOCS / page).read_text())


def anchors(page: str) -> set[str]:
    """The places of a page that a link can name."""
    titles = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).replace(" ", "-").lower() for title in titles}


def broken(page: str) -> Iterator[str]:
    """The links of a page that lead nowhere, or out of the site."""
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", prose(page)):
        target, _, place = link.partition("#")
        if (target or page) not in PAGES or (place and place not in anchors(target or page)):
            yield link


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_place_on_a_page(page: str) -> None:
    assert list(broken(page)) == []


def test_the_site_has_every_page_once() -> None:
    _, _, nav = (DOCS / "mkdocs.yml").read_text().partition("\nnav:\n")
    assert sorted(re.findall(r"^ +- (?:\w+: )?(\w+\.md)$", nav, re.MULTILINE)) == PAGES


def test_the_first_page_leads_to_every_page() -> None:
    linked = {link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", prose("README.md"))}
    assert linked == {*PAGES} - {"README.md"}


def described() -> list[str]:
    """The public names that the API page has, errors and warnings by a link to their section."""
    text = prose("api.md")
    linked = re.findall(r"^- \[(\w+)\]\(errors\.md#\w+\)$", text, re.MULTILINE)
    return re.findall(r"^::: autograph_lite\.(\w+)$", text, re.MULTILINE) + linked


def test_the_api_page_has_every_public_name_once() -> None:
    # The last two are public and no part of `from autograph_lite import *`.
    assert sorted([*described(), "AutographError"]) == sorted([*autograph_lite.__all__, "print", "range"])
    assert "`AutographError`" in prose("api.md")


@pytest.mark.parametrize("name", ["Function", "ConcreteFunction", "Variable"])
def test_the_members_on_the_api_page_exist_and_say_what_they_are(name: str) -> None:
    part = prose("api.md").partition(f"::: autograph_lite.{name}\n")[2].partition(":::")[0]
    members = re.findall(r"- (\w+)$", part, re.MULTILINE) or re.findall(r"\w+", part.partition("[")[2])
    assert len(members) > 5
    assert [each for each in members if not getattr(autograph_lite, name).__dict__[each].__doc__] == []
