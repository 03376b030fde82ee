def counter(start):
    count = start

    def step(by):
        nonlocal count
        if by > 0:
            count += by
        return count

    return step
