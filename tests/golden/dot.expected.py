def dot(xs, ys):
    return ag.call(sum)(ag.generator(ag.call(zip)(xs, ys), lambda x, y: x * y))
