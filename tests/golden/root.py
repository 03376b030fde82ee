def root(x):
    assert x > -100, f"{x} is far too small"
    if x < 0:
        raise ValueError("negative")
    return x**0.5


EXAMPLES = [(4.0,), (9.0,)]
