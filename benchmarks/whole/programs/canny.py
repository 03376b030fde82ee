"""Canny's edges: blur, gradients, thinning, two thresholds, and edges followed from strong points."""

import numpy as np

NOTHING, WEAK, STRONG = 0, 1, 2
NEIGHBOURS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]


def convolve(image, kernel):
    """Same size; the border is reflected."""
    kh, kw = kernel.shape
    h, w = image.shape
    padded = np.pad(image, ((kh // 2, kh // 2), (kw // 2, kw // 2)), mode="reflect")
    out = np.zeros((h, w))
    for i in range(kh):
        for j in range(kw):
            out += kernel[i, j] * padded[i : i + h, j : j + w]
    return out


def gaussian(size, sigma):
    half = size // 2
    kernel = np.zeros((size, size))
    for y in range(size):
        for x in range(size):
            kernel[y, x] = np.exp(-((x - half) ** 2 + (y - half) ** 2) / (2 * sigma**2))
    return kernel / kernel.sum()


def gradients(image):
    """Magnitude and direction in degrees from 0 to 180."""
    kx = np.array([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])
    gx = convolve(image, kx)
    gy = convolve(image, kx.T)
    angle = np.rad2deg(np.arctan2(gy, gx))
    angle[angle < 0] += 180
    return np.hypot(gx, gy), angle


def thin(magnitude, angle):
    """Only what is largest across the edge stays."""
    h, w = magnitude.shape
    out = np.zeros((h, w))
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            a = angle[y, x]
            if a < 22.5 or a >= 157.5:
                before, after = magnitude[y, x - 1], magnitude[y, x + 1]
            elif a < 67.5:
                before, after = magnitude[y - 1, x - 1], magnitude[y + 1, x + 1]
            elif a < 112.5:
                before, after = magnitude[y - 1, x], magnitude[y + 1, x]
            else:
                before, after = magnitude[y - 1, x + 1], magnitude[y + 1, x - 1]
            m = magnitude[y, x]
            if m >= before and m >= after:
                out[y, x] = m
    return out


def classify(thinned, low, high):
    kind = np.full(thinned.shape, NOTHING)
    top = thinned.max()
    kind[thinned >= low * top] = WEAK
    kind[thinned >= high * top] = STRONG
    kind[0, :] = kind[-1, :] = NOTHING
    kind[:, 0] = kind[:, -1] = NOTHING
    return kind


def follow(kind):
    """Weak points stay if a path of weak points leads to a strong one: depth first, with a stack."""
    h, w = kind.shape
    edges = kind == STRONG
    stack = np.zeros((h * w, 2), dtype=int)
    top = 0
    for y in range(h):
        for x in range(w):
            if kind[y, x] == STRONG:
                stack[top] = y, x
                top += 1
    while top > 0:
        top -= 1
        y, x = stack[top]
        for dy, dx in NEIGHBOURS:
            ny, nx = y + dy, x + dx
            if kind[ny, nx] == WEAK and not edges[ny, nx]:
                edges[ny, nx] = True
                stack[top] = ny, nx
                top += 1
    return edges


def canny(image, sigma=1.4, low=0.1, high=0.25):
    """The edges, how many points each stage leaves, and the mean direction of the edges."""
    blurred = convolve(image, gaussian(5, sigma))
    magnitude, angle = gradients(blurred)
    thinned = thin(magnitude, angle)
    kind = classify(thinned, low, high)
    edges = follow(kind)
    counts = np.array([(magnitude > 1e-6).sum(), (thinned > 0).sum(), (kind > 0).sum(), edges.sum()])
    mean = 0.0
    if counts[3] > 0:
        mean = np.sum(angle * edges) / counts[3]
    return edges, counts, mean
