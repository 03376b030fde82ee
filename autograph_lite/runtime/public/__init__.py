"""What `@convert` gives, and what users call beside it: functions, gradients, `init_scope`."""

__all__ = ["function", "gradients", "init_scope"]
