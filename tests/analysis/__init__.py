"""Tests of the facts that the passes rely on."""
