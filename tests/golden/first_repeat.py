def first_repeat(xs, ys):
    found = -1
    for x in xs:
        for y in ys:
            if x == y:
                found = x
                break
        else:
            continue
        break
    else:
        found = 0
    return found


EXAMPLES = [([1, 2, 3], [5, 3, 2]), ([1, 2], [7, 8])]
