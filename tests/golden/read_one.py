def read_one(lock, x):
    with lock:
        if x > 0:
            return x
        y = -x
    return y
