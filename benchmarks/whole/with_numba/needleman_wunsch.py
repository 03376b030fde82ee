"""Gotoh's three tables cell by cell, each an array of its own."""

import numpy as np

MATCH, DELETE, INSERT = 0, 1, 2
GAP = -1


def best_of(M, D, I, i, j):
    state, score = MATCH, M[i, j]
    if D[i, j] > score:
        state, score = DELETE, D[i, j]
    if I[i, j] > score:
        state, score = INSERT, I[i, j]
    return state, score


def fill(a, b, match, mismatch, open_gap, extend):
    n, m = len(a), len(b)
    M = np.full((n + 1, m + 1), -1e9)
    D = np.full((n + 1, m + 1), -1e9)
    I = np.full((n + 1, m + 1), -1e9)
    came = np.zeros((3, n + 1, m + 1), dtype=np.int64)
    M[0, 0] = 0
    for i in range(1, n + 1):
        D[i, 0] = -open_gap - (i - 1) * extend
        came[DELETE, i, 0] = DELETE
    for j in range(1, m + 1):
        I[0, j] = -open_gap - (j - 1) * extend
        came[INSERT, 0, j] = INSERT
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            state, score = best_of(M, D, I, i - 1, j - 1)
            M[i, j] = score + (match if a[i - 1] == b[j - 1] else mismatch)
            came[MATCH, i, j] = state
            opened, extended = M[i - 1, j] - open_gap, D[i - 1, j] - extend
            D[i, j] = max(opened, extended)
            came[DELETE, i, j] = MATCH if opened >= extended else DELETE
            opened, extended = M[i, j - 1] - open_gap, I[i, j - 1] - extend
            I[i, j] = max(opened, extended)
            came[INSERT, i, j] = MATCH if opened >= extended else INSERT
    state, score = best_of(M, D, I, n, m)
    return came, state, score


def traceback(a, b, came, state):
    i, j = len(a), len(b)
    k = i + j
    top, bottom = np.full(k, GAP), np.full(k, GAP)
    while i > 0 or j > 0:
        k -= 1
        before = came[state, i, j]
        if state != INSERT:
            i -= 1
            top[k] = a[i]
        if state != DELETE:
            j -= 1
            bottom[k] = b[j]
        state = before
    return top, bottom, len(top) - k


def statistics(top, bottom):
    equal = different = gaps = run = longest = 0
    for x, y in zip(top, bottom):
        if x == GAP and y == GAP:
            continue
        if x == y:
            equal += 1
            run += 1
            longest = max(longest, run)
            continue
        run = 0
        if x == GAP or y == GAP:
            gaps += 1
        else:
            different += 1
    return equal, different, gaps, longest


def needleman_wunsch(a, b, match=2.0, mismatch=-1.0, open_gap=3.0, extend=0.5):
    came, state, score = fill(a, b, match, mismatch, open_gap, extend)
    top, bottom, length = traceback(a, b, came, state)
    equal, different, gaps, longest = statistics(top, bottom)
    return score, top, bottom, length, equal, different, gaps, longest, equal / length
