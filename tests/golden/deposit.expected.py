def deposit(account, amount):

    def true_fun():
        ag.record(account).balance += amount
        ag.store(amount, account, 'history', (0,))

    def false_fun():
        pass

    ag.if_stmt(amount > 0, true_fun, false_fun)
    return account.balance
