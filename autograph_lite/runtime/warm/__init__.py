"""The cache of compiled programs on disk: `autograph_lite.enable_compilation_cache`."""

__all__ = ["cache_folder", "enable"]
