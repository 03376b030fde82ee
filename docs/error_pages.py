"""How does the site get a page for each error? A hook of mkdocs cuts errors.md, which the docstrings give, into its sections.

    errors.md                  -> errors/                      the list: each with what it says, in a line
    ## CarryMismatchError      -> errors/CarryMismatchError/   where links to errors.md#carrymismatcherror lead

Without the hook, as where a repository shows its files, errors.md is one page, and every link holds.
"""

from __future__ import annotations

import pathlib
import re
from typing import Any

INDEX = "errors.md"
_SECTION = re.compile(r"^## (\w+)\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_CONTENTS = re.compile(r"^- \[(\w+)\]\(#(\w+)\)$", re.MULTILINE)
_NEEDS = "The programs need the imports at the head of [Errors](../errors.md)."


def pages(text: str) -> dict[str, str]:
    """The page of each error by its path, from the text of errors.md."""
    return {_path(name): f"# {name}\n{body.rstrip()}\n\n{_NEEDS}\n" for name, body in _SECTION.findall(text)}


def index(text: str) -> str:
    """The list of these pages, from the text of errors.md; what leads to a section there leads to its row here."""
    meanings = {name: body.strip().partition("\n\n")[0] for name, body in _SECTION.findall(text)}

    def row(found: re.Match[str]) -> str:
        name, anchor = found.groups()
        return f'- <a id="{anchor}"></a>[{name}]({_path(name)}): {" ".join(meanings[name].split())}'

    return _CONTENTS.sub(row, text.partition("\n## ")[0])


def linked(text: str, errors: str) -> str:
    """The text of another page, whose links to sections of errors.md lead to their pages."""
    for name, _ in _SECTION.findall(errors):
        text = text.replace(f"]({INDEX}#{name.lower()})", f"]({_path(name)})")
    return text


def _path(name: str) -> str:
    return f"errors/{name}.md"


def _errors(config: Any) -> str:
    return (pathlib.Path(config["docs_dir"]) / INDEX).read_text(encoding="utf-8")


def on_config(config: Any) -> Any:
    """Puts the pages below the list in the navigation."""
    for part in config["nav"]:
        for rows in part.values():
            if INDEX in rows:
                rows[rows.index(INDEX)] = {"Errors": [INDEX, *pages(_errors(config))]}
    return config


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages to what is built."""
    from mkdocs.structure.files import File

    for path, text in pages(_errors(config)).items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Makes errors.md the list, and leads links on other pages to the pages."""
    errors = _errors(config)
    return index(errors) if page.file.src_uri == INDEX else linked(markdown, errors)
