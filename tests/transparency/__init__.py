"""Standard-library modules, converted in place, still pass CPython's own tests."""
