"""Programs that a later process starts with, without tracing and compiling: `autograph_lite.enable_compilation_cache`."""
