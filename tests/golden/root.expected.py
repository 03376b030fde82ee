def root(x):
    ag.assert_(x > -100, lambda: ag.format('{} is far too small', x))

    def true_fun():
        raise ag.error(ValueError)('negative')

    def false_fun():
        pass

    ag.if_stmt(x < 0, true_fun, false_fun)
    return x ** 0.5
