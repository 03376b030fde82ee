def measure(log, x):
    try:
        ag.trying()

        def true_fun(x):
            return x / 2

        def false_fun(x):
            return x

        x = ag.if_stmt(x > 1, true_fun, false_fun, (x,), names=('x',))
        return x
    finally:
        with ag.finishing():
            ag.call(log.append)('done')
