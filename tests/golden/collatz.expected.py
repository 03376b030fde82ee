def collatz(n):
    steps = 0
    stop = False

    def cond_fun(stop, n, steps):
        return ag.and_(ag.not_(stop), lambda: n != 1)

    def body_fun(stop, n, steps):

        def true_fun(stop, n, steps):
            stop = True
            return stop, n, steps

        def false_fun(stop, n, steps):

            def true_fun_2(n):
                return n // 2

            def false_fun_2(n):
                return 3 * n + 1

            n = ag.if_stmt(n % 2 == 0, true_fun_2, false_fun_2, (n,), names=('n',))
            steps += 1
            return stop, n, steps

        return ag.if_stmt(steps >= 1000, true_fun, false_fun, (stop, n, steps), names=('stop', 'n', 'steps'))

    stop, n, steps = ag.while_stmt(cond_fun, body_fun, (stop, n, steps))
    return steps
