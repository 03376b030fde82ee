def read_one(lock, x):
    y = ag.Undefined('y')
    ret = ag.NO_RETURN
    with ag.managed(lock):

        def true_fun():
            nonlocal ret
            ret = ag.Return(x)

        def false_fun():
            nonlocal y
            y = -x

        ag.if_stmt(x > 0, true_fun, false_fun)

    def true_fun_2():
        return ret.value

    def false_fun_2():
        return ag.defined(y)

    return ag.if_stmt(ag.returned(ret), true_fun_2, false_fun_2)
