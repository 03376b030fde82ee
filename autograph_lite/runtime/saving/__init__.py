"""Traces in files: `autograph_lite.save` and `autograph_lite.load`."""
