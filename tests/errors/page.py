"""What is in docs/errors.md? Each error and warning with its meaning, its programs and its message, from its docstring.

python -m tests.errors.page           writes the page
"""

from __future__ import annotations

import pathlib

from .examples import CLASSES, WARNINGS, example, failure, warned

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "errors.md"

HEAD = """\
# Errors

Every error of `autograph_lite` says what was done, where in your source, and what to type instead. All derive from
`autograph_lite.AutographError`; each also derives from the built-in exception that you would expect, so that
`except TypeError` and the like keep working. Your own exceptions, from `assert` and `raise`, are not among them: they come
out of the call with their own type and message.

A traceback has a line `More: autograph-lite error NAME`, a command that shows in a terminal what stands here about the class;
without a name it lists all. On the site each class has a page of its own, `errors/NAME/`.

Warnings stand at the end: the program works, and costs more than it has to.

The programs are complete but for these lines:

```python
import itertools, linecache
import jax, jax.numpy as jnp, numpy as np
import autograph_lite
```
"""


def page() -> str:
    """The text of docs/errors.md."""
    kinds = [*CLASSES, *WARNINGS]
    contents = "\n".join(f"- [{kind.__name__}](#{kind.__name__.lower()})" for kind in kinds)
    return "\n".join([HEAD, contents, *map(section, kinds)])


def section(kind: type[Exception]) -> str:
    """The part of the page about one class."""
    shown = example(kind)
    said = warned(kind, shown.fails) if issubclass(kind, Warning) else failure(kind, shown.fails)
    bases = ", ".join(f"`{base.__name__}`" for base in kind.__bases__)
    return f"""
## {kind.__name__}

{shown.meaning}

Derives from {bases}.

```python
{shown.fails}```

```text
{said}```

Instead:

```python
{shown.works}```"""


if __name__ == "__main__":
    PAGE.write_text(page() + "\n")
