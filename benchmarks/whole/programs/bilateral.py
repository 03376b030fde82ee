"""Noise is taken off an image by a bilateral filter, beside a Gaussian and a median, and their errors compared."""

import numpy as np


def pad_edges(image, r):
    """The image with its edges repeated `r` times."""
    h, w = image.shape
    padded = np.zeros((h + 2 * r, w + 2 * r))
    padded[r : r + h, r : r + w] = image
    for k in range(r):
        padded[k, r : r + w] = image[0]
        padded[r + h + k, r : r + w] = image[-1]
    for k in range(r):
        padded[:, k] = padded[:, r]
        padded[:, r + w + k] = padded[:, r + w - 1]
    return padded


def bilateral_filter(image, r, sigma_s, sigma_r):
    """Weights fall with the distance in space and in brightness."""
    h, w = image.shape
    padded = pad_edges(image, r)
    total = np.zeros((h, w))
    weights = np.zeros((h, w))
    for dy in range(-r, r + 1):
        for dx in range(-r, r + 1):
            spatial = np.exp(-(dx**2 + dy**2) / (2 * sigma_s**2))
            shifted = padded[r + dy : r + dy + h, r + dx : r + dx + w]
            weight = spatial * np.exp(-((shifted - image) ** 2) / (2 * sigma_r**2))
            total += weight * shifted
            weights += weight
    return total / weights


def gaussian_kernel(r, sigma):
    kernel = np.array([np.exp(-(x**2) / (2 * sigma**2)) for x in range(-r, r + 1)])
    return kernel / kernel.sum()


def gaussian_filter(image, r, sigma):
    """Separable: rows first, then columns."""
    h, w = image.shape
    kernel = gaussian_kernel(r, sigma)
    padded = pad_edges(image, r)
    rows = np.zeros((h + 2 * r, w))
    for k in range(2 * r + 1):
        rows += kernel[k] * padded[:, k : k + w]
    out = np.zeros((h, w))
    for k in range(2 * r + 1):
        out += kernel[k] * rows[k : k + h]
    return out


def median_filter(image, r):
    h, w = image.shape
    padded = pad_edges(image, r)
    out = np.empty_like(image)
    for y in range(h):
        for x in range(w):
            window = padded[y : y + 2 * r + 1, x : x + 2 * r + 1]
            out[y, x] = np.median(window)
    return out


def psnr(image, reference):
    mse = np.mean((image - reference) ** 2)
    if mse == 0:
        return np.inf
    return 10 * np.log10(1.0 / mse)


def total_variation(image):
    tv = 0.0
    for row in image:
        tv += np.abs(np.diff(row)).sum()
    for column in image.T:
        tv += np.abs(np.diff(column)).sum()
    return tv


def histogram(image, bins):
    counts = np.zeros(bins, dtype=int)
    for value in np.clip(image, 0, 1).ravel():
        index = int(value * bins)
        if index == bins:
            index -= 1
        counts[index] += 1
    return counts


def bilateral(clean, noise, r=3, sigma_s=2.0, sigma_r=0.2, passes=2):
    """The filtered image, how good each filter is, which one is best, and the histogram of the result."""
    noisy = np.clip(clean + noise, 0, 1)
    filtered = noisy
    for _ in range(passes):
        filtered = bilateral_filter(filtered, r, sigma_s, sigma_r)
    candidates = [noisy, filtered, gaussian_filter(noisy, r, sigma_s), median_filter(noisy, 1)]
    scores = np.array([psnr(c, clean) for c in candidates])
    roughness = np.array([total_variation(c) for c in candidates])
    best = 0
    for k in range(1, len(candidates)):
        if scores[k] > scores[best]:
            best = k
    return filtered, scores, roughness, best, histogram(filtered, 16)
