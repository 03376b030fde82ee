def dot(xs, ys):
    return sum(x * y for x, y in zip(xs, ys))


EXAMPLES = [([1.0, 2.0], [3.0, 4.0])]
