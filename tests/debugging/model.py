"""A user's file: the tests of debugging name its lines."""


def settle(x, rate):
    steps = 0
    while x > 1:
        x = x * rate
        steps = steps + 1
    if steps > 3:
        x = x + 100
    else:
        x = x - 100
    return x, steps


def outer(x):
    y = x + 1
    return inner(y)


def inner(y):
    if y > 0:
        for k in range(3):
            y = y.reshape(7, 7) + k
    return y


# fmt: off
def both(x, y):
    return (
        x > 0
        and y.missing
    )


def requires(x):
    assert x < (
        x - 1
    ), "large"
    return x


def tests(x):
    if (x > 0
            and x < 3):
        return 1
    return 2
# fmt: on


def raises(x):
    while x < 10:
        if x > 5:
            raise ValueError(f"{x:.1f}")
        x = x * 2
    return x


def leaves(xs):
    total = 0
    for x in xs:
        if x > 3:
            break
        total = total + x.missing
    return total
