"""Does a compiled program do what the user's Python does? Runs both on the same values, and tells where they part."""
