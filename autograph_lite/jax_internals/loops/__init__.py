"""The `while` loop that can be differentiated: its primitive, its derivatives by checkpoints, its lanes under `vmap`."""

__all__ = [
    "call_stacks",
    "callbacks",
    "loop_binding",
    "powers",
    "symbolic_shapes",
    "while_autodiff",
    "while_primitive",
    "wide_programs",
]
