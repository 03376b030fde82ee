"""Tests of the passes, each alone and all together."""
