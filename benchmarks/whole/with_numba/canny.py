"""Canny's stages pixel by pixel; the border is reflected where a place is read."""

import numpy as np

NOTHING, WEAK, STRONG = 0, 1, 2


def reflected(i, n):
    if i < 0:
        return -i
    return 2 * (n - 1) - i if i >= n else i


def convolve(image, kernel):
    h, w = image.shape
    n = len(kernel)
    out = np.zeros((h, w))
    for y in range(h):
        for x in range(w):
            total = 0.0
            for i in range(n):
                row = reflected(y + i - n // 2, h)
                for j in range(n):
                    total += kernel[i, j] * image[row, reflected(x + j - n // 2, w)]
            out[y, x] = total
    return out


def gaussian(size, sigma):
    half = size // 2
    kernel = np.zeros((size, size))
    for y in range(size):
        for x in range(size):
            kernel[y, x] = np.exp(-((x - half) ** 2 + (y - half) ** 2) / (2 * sigma**2))
    return kernel / kernel.sum()


def gradients(image):
    kx = np.array([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])
    gx, gy = convolve(image, kx), convolve(image, kx.T.copy())
    magnitude, angle = np.empty_like(image), np.empty_like(image)
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            magnitude[y, x] = np.hypot(gx[y, x], gy[y, x])
            degrees = np.rad2deg(np.arctan2(gy[y, x], gx[y, x]))
            angle[y, x] = degrees + 180 if degrees < 0 else degrees
    return magnitude, angle


def thin(magnitude, angle):
    h, w = magnitude.shape
    out = np.zeros((h, w))
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            a = angle[y, x]
            if a < 22.5 or a >= 157.5:
                dy, dx = 0, 1
            elif a < 67.5:
                dy, dx = 1, 1
            elif a < 112.5:
                dy, dx = 1, 0
            else:
                dy, dx = 1, -1
            m = magnitude[y, x]
            if m >= magnitude[y - dy, x - dx] and m >= magnitude[y + dy, x + dx]:
                out[y, x] = m
    return out


def classify(thinned, low, high):
    h, w = thinned.shape
    kind = np.full((h, w), NOTHING)
    top = thinned.max()
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            if thinned[y, x] >= high * top:
                kind[y, x] = STRONG
            elif thinned[y, x] >= low * top:
                kind[y, x] = WEAK
    return kind


def follow(kind):
    h, w = kind.shape
    edges = kind == STRONG
    stack = np.empty((h * w, 2), dtype=np.int64)
    top = 0
    for y in range(h):
        for x in range(w):
            if edges[y, x]:
                stack[top, 0], stack[top, 1] = y, x
                top += 1
    while top > 0:
        top -= 1
        y, x = stack[top, 0], stack[top, 1]
        for ny in range(y - 1, y + 2):
            for nx in range(x - 1, x + 2):
                if kind[ny, nx] == WEAK and not edges[ny, nx]:
                    edges[ny, nx] = True
                    stack[top, 0], stack[top, 1] = ny, nx
                    top += 1
    return edges


def canny(image, sigma=1.4, low=0.1, high=0.25):
    magnitude, angle = gradients(convolve(image, gaussian(5, sigma)))
    thinned = thin(magnitude, angle)
    kind = classify(thinned, low, high)
    edges = follow(kind)
    counts = np.zeros(4, dtype=np.int64)
    total = 0.0
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            counts[0] += magnitude[y, x] > 1e-6
            counts[1] += thinned[y, x] > 0
            counts[2] += kind[y, x] > 0
            if edges[y, x]:
                counts[3] += 1
                total += angle[y, x]
    return edges, counts, total / counts[3] if counts[3] > 0 else 0.0
