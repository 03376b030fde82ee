def counter(start):
    count = start

    def step(by):
        nonlocal count

        def true_fun():
            nonlocal count
            count += by

        def false_fun():
            pass

        ag.if_stmt(by > 0, true_fun, false_fun)
        return count

    return step
