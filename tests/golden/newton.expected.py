def newton(f, x, tolerance=0.0001):
    """Finds a root of `f`."""
    step = ag.Undefined('step')
    stop = False

    def cond_fun(step, stop, x):
        return ag.not_(stop)

    def body_fun(step, stop, x):

        def true_fun(stop, x):
            stop = True
            return stop, x

        def false_fun(stop, x):
            slope = (ag.call(f)(x + tolerance) - step) / tolerance

            def true_fun_2(stop, x):
                stop = True
                return stop, x

            def false_fun_2(stop, x):
                x = x - step / slope
                return stop, x

            return ag.if_stmt(slope == 0, true_fun_2, false_fun_2, (stop, x), names=('stop', 'x'))

        stop, x = ag.if_stmt(ag.not_(ag.and_(ag.compare(step := ag.call(f)(x), 'is not', None),
                                             lambda: jnp.abs(ag.defined(step)) > tolerance)), true_fun,
                             false_fun, (stop, x), names=('stop', 'x'))
        return step, stop, x

    step, stop, x = ag.while_stmt(cond_fun, body_fun, (step, stop, x))
    return x
