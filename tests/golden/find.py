def find(xs, target):
    for i in range(xs.shape[0]):
        if xs[i] == target:
            return i
    return -1


EXAMPLES = [([3, 1, 2], 2), ([3, 1, 2], 5)]
