def __init__(self, sizes):
    ag.call(super(__class__, self).__init__)()
    ag.record(self).sizes = ag.call(list)(sizes)


def apply(self, x, *, depth=None):
    done = False

    def body_fun(item, x, done):
        i, size = item
        x = ag.call(self.scale)(x, size)

        def true_fun(done):
            return True

        def false_fun(done):
            return done

        done = ag.if_stmt(ag.and_(x < 0, lambda: ag.truth(i)), true_fun, false_fun, (done,), names=('done',))
        return x, done

    x, done = ag.for_stmt(ag.call(enumerate)(ag.item(self.sizes, ag.slice(None, depth))), body_fun, (x, done),
                          until=lambda x, done: done)

    def true_fun_2():
        return None

    def false_fun_2():
        return x

    return ag.if_stmt(done, true_fun_2, false_fun_2)
