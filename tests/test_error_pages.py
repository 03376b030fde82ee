"""Does the site get a page for each error, from the text of docs/errors.md, and does every link to an error lead there?

`nox -s docs` builds the site with the hook; here are its parts, which need no mkdocs.
"""

from __future__ import annotations

import re
import runpy
import types
from typing import Any

import pytest

from autograph_lite.cli.commands import classes
from tests.errors.examples import example
from tests.pages import DOCS

HOOK = runpy.run_path(str(DOCS / "error_pages.py"))
ERRORS = (DOCS / "errors.md").read_text()
PATHS = {f"errors/{name}.md" for name in classes()}
MADE: dict[str, str] = HOOK["pages"](ERRORS)


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", text)


def test_each_error_has_one_page_at_the_path_of_its_name() -> None:
    assert set(MADE) == PATHS
    assert all(text.startswith(f"# {name}\n") for name, text in zip(classes(), MADE.values(), strict=True))


@pytest.mark.parametrize("name", classes())
def test_a_page_has_the_whole_docstring_and_leads_back_to_the_list(name: str) -> None:
    text, shown = MADE[f"errors/{name}.md"], example(classes()[name])
    parts = [shown.meaning, f"```python\n{shown.fails}```", f"\n{name}: ", f"```python\n{shown.works}```"]
    assert [part for part in parts if part not in text] == []
    assert links(re.sub(r"```.*?```", "", text, flags=re.DOTALL)) == ["../errors.md"]


def test_nothing_of_the_text_is_lost() -> None:
    head, *_ = ERRORS.partition("\n## ")
    bodies = [text.partition("\n\nThe programs need")[0] for text in MADE.values()]
    assert "\n\n".join([head.rstrip(), *(f"#{body}" for body in bodies)]).rstrip() == ERRORS.rstrip()


def test_the_list_leads_to_each_page_and_keeps_the_places_that_links_may_name() -> None:
    text = HOOK["index"](ERRORS)
    assert text.startswith("# Errors\n")
    assert "## " not in text
    assert set(links(text)) == PATHS
    assert re.findall(r'<a id="(\w+)"></a>\[(\w+)\]', text) == [(name.lower(), name) for name in classes()]


@pytest.mark.parametrize("name", classes())
def test_a_row_of_the_list_says_what_the_error_means(name: str) -> None:
    meaning = " ".join(example(classes()[name]).meaning.partition("\n\n")[0].split())
    assert f"[{name}](errors/{name}.md): {meaning}\n" in HOOK["index"](ERRORS) + "\n"


@pytest.mark.parametrize("page", sorted(path.name for path in DOCS.glob("*.md") if path.name != "errors.md"))
def test_links_to_sections_of_other_pages_lead_to_the_pages(page: str) -> None:
    text = (DOCS / page).read_text()
    found = links(HOOK["linked"](text, ERRORS))
    assert [link for link in found if link.startswith("errors.md#")] == []
    assert len([link for link in found if link in PATHS]) == text.count("](errors.md#")


def test_the_navigation_has_the_list_and_then_each_page() -> None:
    config: Any = {
        "docs_dir": str(DOCS),
        "nav": [{"Overview": "README.md"}, {"Reference": ["api.md", "errors.md"]}],
    }
    overview, reference = HOOK["on_config"](config)["nav"]
    assert overview == {"Overview": "README.md"}
    assert reference == {"Reference": ["api.md", {"Errors": ["errors.md", *MADE]}]}


@pytest.mark.parametrize(
    ("path", "does"), [("errors.md", "index"), ("api.md", "linked"), ("errors/LoadError.md", "")]
)
def test_a_page_is_changed_as_its_path_says(path: str, does: str) -> None:
    text = MADE.get(path) or (DOCS / path).read_text()
    page: Any = types.SimpleNamespace(file=types.SimpleNamespace(src_uri=path))
    expected = {"index": HOOK["index"](ERRORS), "linked": HOOK["linked"](text, ERRORS), "": text}[does]
    assert HOOK["on_page_markdown"](text, page, {"docs_dir": str(DOCS)}, None) == expected
    assert (expected == text) is (does == "")


def test_the_site_is_built_with_the_hook() -> None:
    assert "\nhooks: [error_pages.py]\n" in (DOCS / "mkdocs.yml").read_text()
