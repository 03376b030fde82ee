"""What does autograph_lite cost? README.md has the method and the latest figures."""
