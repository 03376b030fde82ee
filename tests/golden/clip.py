def clip(x, low, high):
    """Limits x."""
    return low if x < low else high if x > high else x


EXAMPLES = [(5, 0, 3), (-5, 0, 3), (2, 0, 3)]
