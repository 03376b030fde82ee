def relu_or_leak(x, leak):
    if x > 0:
        y = x
        sign = 1
    else:
        y = leak * x
        sign = -1
    return y * sign


EXAMPLES = [(2.0, 0.5), (-2.0, 0.5)]
