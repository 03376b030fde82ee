def find(xs, target):
    i = ag.Undefined('i')
    done = False

    def body_fun(item, i, done):
        i = item

        def true_fun(done):
            return True

        def false_fun(done):
            return done

        done = ag.if_stmt(ag.equal(ag.item(xs, i), target), true_fun, false_fun, (done,), names=('done',))
        return i, done

    i, done = ag.for_stmt(ag.call(range)(xs.shape[0]), body_fun, (i, done), until=lambda i, done: done)

    def true_fun_2():
        return ag.assigned(i)

    def false_fun_2():
        return -1

    return ag.if_stmt(done, true_fun_2, false_fun_2)
