"""A decision tree for two classes, grown in arrays by Gini's impurity, and asked."""

import numpy as np

LEAF = -1


class Tree:
    """Nodes in arrays: the feature asked for, its threshold, the children, the class of a leaf."""

    def __init__(self, capacity):
        self.feature = np.full(capacity, LEAF)
        self.threshold = np.zeros(capacity)
        self.left = np.zeros(capacity, dtype=int)
        self.right = np.zeros(capacity, dtype=int)
        self.label = np.zeros(capacity, dtype=int)
        self.size = 1

    def add(self):
        node = self.size
        self.size += 1
        return node


def gini(positive, total):
    if total == 0:
        return 0.0
    p = positive / total
    return 2 * p * (1 - p)


def best_split(X, y, inside):
    """Feature, threshold and gain of the best split of the rows that are `inside`."""
    n, d = X.shape
    total = np.sum(inside)
    positive = np.sum(y * inside)
    impurity = gini(positive, total)
    best_gain = 0.0
    best_feature = LEAF
    best_threshold = 0.0
    for f in range(d):
        order = np.argsort(X[:, f])
        seen = 0
        seen_positive = 0
        last = -np.inf
        for i in order:
            if not inside[i]:
                continue
            value = X[i, f]
            if seen > 0 and value > last:
                rest = total - seen
                left = seen / total * gini(seen_positive, seen)
                right = rest / total * gini(positive - seen_positive, rest)
                gain = impurity - left - right
                if gain > best_gain + 1e-9:
                    best_gain = gain
                    best_feature = f
                    best_threshold = (value + last) / 2
            seen += 1
            seen_positive += y[i]
            last = value
    return best_feature, best_threshold, best_gain


def grow(X, y, max_depth, min_rows, capacity):
    """Depth first, with the nodes that are still open on a stack."""
    tree = Tree(capacity)
    member = np.zeros(len(X), dtype=int)
    stack = np.zeros((capacity, 2), dtype=int)
    top = 1
    while top > 0:
        top -= 1
        node, depth = stack[top]
        inside = member == node
        count = inside.sum()
        tree.label[node] = 1 if 2 * np.sum(y[inside]) > count else 0
        if depth >= max_depth or count < min_rows or tree.size + 2 > capacity:
            continue
        feature, threshold, gain = best_split(X, y, inside)
        if gain <= 0:
            continue
        tree.feature[node] = feature
        tree.threshold[node] = threshold
        left, right = tree.add(), tree.add()
        tree.left[node], tree.right[node] = left, right
        goes_left = X[:, feature] <= threshold
        member[inside & goes_left] = left
        member[inside & ~goes_left] = right
        stack[top] = left, depth + 1
        stack[top + 1] = right, depth + 1
        top += 2
    return tree


def predict(tree, row):
    node = 0
    while tree.feature[node] != LEAF:
        if row[tree.feature[node]] <= tree.threshold[node]:
            node = tree.left[node]
        else:
            node = tree.right[node]
    return tree.label[node]


def decision_tree(X, y, X_test, y_test, max_depth=4, min_rows=4):
    """The tree's nodes, predictions for the test rows, accuracy, and how often each feature is asked for."""
    tree = grow(X, y, max_depth, min_rows, 2 ** (max_depth + 1))
    predictions = np.array([predict(tree, row) for row in X_test])
    accuracy = np.mean(predictions == y_test)
    used = np.zeros(X.shape[1], dtype=int)
    for node in range(2 ** (max_depth + 1)):
        if tree.feature[node] != LEAF:
            used[tree.feature[node]] += 1
    return tree.feature, tree.threshold, tree.size, predictions, accuracy, used
