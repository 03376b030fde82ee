def in_unit(x):
    return ag.and_(x >= 0, lambda: x <= 1)
