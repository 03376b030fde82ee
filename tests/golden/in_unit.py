def in_unit(x):
    return x >= 0 and x <= 1


EXAMPLES = [(0.5,), (-1.0,), (2.0,)]
