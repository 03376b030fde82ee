def first_repeat(xs, ys):
    found = -1
    stop = False

    def body_fun(x, found, stop):
        stop_2 = False

        def body_fun_2(y, found, stop_2):

            def true_fun(found, stop_2):
                found = x
                stop_2 = True
                return found, stop_2

            def false_fun(found, stop_2):
                return found, stop_2

            return ag.if_stmt(ag.equal(x, y), true_fun, false_fun, (found, stop_2), names=('found', 'stop_2'))

        found, stop_2 = ag.for_stmt(ys, body_fun_2, (found, stop_2), until=lambda found, stop_2: stop_2)

        def true_fun_2(stop):
            return stop

        def false_fun_2(stop):
            return True

        stop = ag.if_stmt(ag.not_(stop_2), true_fun_2, false_fun_2, (stop,), names=('stop',))
        return found, stop

    found, stop = ag.for_stmt(xs, body_fun, (found, stop), until=lambda found, stop: stop)

    def true_fun_3(found):
        return 0

    def false_fun_3(found):
        return found

    found = ag.if_stmt(ag.not_(stop), true_fun_3, false_fun_3, (found,), names=('found',))
    return found
