def shade(kind, x):
    match kind:
        case 0:
            y = x
        case 1 | 2:
            y = -x
        case _:
            y = 0 * x
    return y


EXAMPLES = [(0, 3.0), (2, 3.0), (9, 3.0)]
