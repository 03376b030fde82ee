def swap_sort(x, n):
    for i in range(n):
        for j in range(n - 1):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x


EXAMPLES = [([3, 1, 2], 3)]
