def swap_sort(x, n):

    def body_fun(i, x):

        def body_fun_2(j, x):

            def true_fun(x):
                item, item_2 = ag.item(x, j + 1), ag.item(x, j)
                x = ag.set_item(x, j, item)
                return ag.set_item(x, j + 1, item_2)

            def false_fun(x):
                return x

            x = ag.if_stmt(ag.item(x, j) > ag.item(x, j + 1), true_fun, false_fun, (x,), names=('x',))
            return x,

        return ag.for_stmt(ag.call(range)(n - 1), body_fun_2, (x,))

    x, = ag.for_stmt(ag.call(range)(n), body_fun, (x,))
    return x
