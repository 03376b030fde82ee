"""Facts about a function body: pure functions, which change no node."""
