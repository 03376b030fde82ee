"""Verification: does a program do what the user's Python does? Runs both on the same values, and tells where they part."""

__all__ = ["first_call", "report", "tolerance", "verify"]
