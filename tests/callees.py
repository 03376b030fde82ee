"""What programs of several tests call: a list and a number that only the data knows."""


def positive(xs):
    ys = []
    for x in xs:
        if x > 0:
            ys.append(x)
    return ys


def how_many_large(xs):
    n = 0
    for v in xs:
        if v > 2:
            n += 1
    return n
