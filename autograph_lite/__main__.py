"""What does `python -m autograph_lite` run? The same as the installed command `autograph-lite`."""

from __future__ import annotations

import sys

from autograph_lite.cli.commands import main

if __name__ == "__main__":
    sys.exit(main())
