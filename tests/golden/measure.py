def measure(log, x):
    try:
        if x > 1:
            x = x / 2
        return x
    finally:
        log.append("done")
