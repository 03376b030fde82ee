def relu_or_leak(x, leak):

    def true_fun():
        y = x
        sign = 1
        return y, sign

    def false_fun():
        y = leak * x
        sign = -1
        return y, sign

    y, sign = ag.if_stmt(x > 0, true_fun, false_fun, names=('y', 'sign'))
    return y * sign
