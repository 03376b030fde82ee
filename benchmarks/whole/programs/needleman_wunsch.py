"""Two sequences aligned with affine gaps (Gotoh's form of Needleman and Wunsch's method), and traced back."""

import numpy as np

MATCH, DELETE, INSERT = 0, 1, 2
GAP = -1


def scoring(n_letters, match, mismatch):
    table = np.full((n_letters, n_letters), mismatch)
    for k in range(n_letters):
        table[k, k] = match
    return table


def fill(a, b, table, open_gap, extend):
    """Scores of the best alignments that end in a pair, a deletion and an insertion, and where they come from."""
    n, m = len(a), len(b)
    S = np.full((3, n + 1, m + 1), -1e9)
    came = np.zeros((3, n + 1, m + 1), dtype=int)
    S[MATCH, 0, 0] = 0
    for i in range(1, n + 1):
        S[DELETE, i, 0] = -open_gap - (i - 1) * extend
        came[DELETE, i, 0] = DELETE
    for j in range(1, m + 1):
        S[INSERT, 0, j] = -open_gap - (j - 1) * extend
        came[INSERT, 0, j] = INSERT
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            best = np.argmax(S[:, i - 1, j - 1])
            S[MATCH, i, j] = S[best, i - 1, j - 1] + table[a[i - 1], b[j - 1]]
            came[MATCH, i, j] = best
            opened = S[MATCH, i - 1, j] - open_gap
            extended = S[DELETE, i - 1, j] - extend
            if opened >= extended:
                S[DELETE, i, j] = opened
                came[DELETE, i, j] = MATCH
            else:
                S[DELETE, i, j] = extended
                came[DELETE, i, j] = DELETE
            opened = S[MATCH, i, j - 1] - open_gap
            extended = S[INSERT, i, j - 1] - extend
            if opened >= extended:
                S[INSERT, i, j] = opened
                came[INSERT, i, j] = MATCH
            else:
                S[INSERT, i, j] = extended
                came[INSERT, i, j] = INSERT
    return S, came


def traceback(a, b, S, came):
    """Both rows of the alignment, from the end backwards, and its length."""
    i, j = len(a), len(b)
    top = np.full(i + j, GAP)
    bottom = np.full(i + j, GAP)
    k = i + j
    state = np.argmax(S[:, i, j])
    while i > 0 or j > 0:
        k -= 1
        before = came[state, i, j]
        if state == MATCH:
            i -= 1
            j -= 1
            top[k] = a[i]
            bottom[k] = b[j]
        elif state == DELETE:
            i -= 1
            top[k] = a[i]
        else:
            j -= 1
            bottom[k] = b[j]
        state = before
    return top, bottom, len(top) - k


def statistics(top, bottom):
    """Pairs that are equal, that differ, gaps, and the longest run of equal pairs."""
    equal = different = gaps = 0
    run = longest = 0
    for x, y in zip(top, bottom):
        if x == GAP and y == GAP:
            continue
        if x == GAP or y == GAP:
            gaps += 1
            run = 0
        elif x == y:
            equal += 1
            run += 1
            if run > longest:
                longest = run
        else:
            different += 1
            run = 0
    return equal, different, gaps, longest


def needleman_wunsch(a, b, n_letters=4, match=2.0, mismatch=-1.0, open_gap=3.0, extend=0.5):
    """The score, both rows (with -1 for gaps), the length, and the alignment's figures."""
    table = scoring(n_letters, match, mismatch)
    S, came = fill(a, b, table, open_gap, extend)
    top, bottom, length = traceback(a, b, S, came)
    equal, different, gaps, longest = statistics(top, bottom)
    return S[:, -1, -1].max(), top, bottom, length, equal, different, gaps, longest, equal / length
