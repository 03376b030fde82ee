def clip(x, low, high):
    """Limits x."""
    return ag.if_expr(x < low, lambda: low, lambda: ag.if_expr(x > high, lambda: high, lambda: x))
