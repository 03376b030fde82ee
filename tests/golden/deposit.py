def deposit(account, amount):
    if amount > 0:
        account.balance += amount
        account.history[0] = amount
    return account.balance
