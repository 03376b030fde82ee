"""The three filters pixel by pixel; edges are repeated by clamping the place that is read."""

import numpy as np


def at(image, y, x):
    h, w = image.shape
    return image[min(max(y, 0), h - 1), min(max(x, 0), w - 1)]


def bilateral_filter(image, r, sigma_s, sigma_r):
    h, w = image.shape
    spatial = np.zeros((2 * r + 1, 2 * r + 1))
    for dy in range(-r, r + 1):
        for dx in range(-r, r + 1):
            spatial[r + dy, r + dx] = np.exp(-(dx**2 + dy**2) / (2 * sigma_s**2))
    out = np.empty((h, w))
    for y in range(h):
        for x in range(w):
            total = weights = 0.0
            for dy in range(-r, r + 1):
                for dx in range(-r, r + 1):
                    value = at(image, y + dy, x + dx)
                    difference = value - image[y, x]
                    weight = spatial[r + dy, r + dx] * np.exp(-(difference**2) / (2 * sigma_r**2))
                    total += weight * value
                    weights += weight
            out[y, x] = total / weights
    return out


def gaussian_filter(image, r, sigma):
    h, w = image.shape
    kernel = np.empty(2 * r + 1)
    for k in range(-r, r + 1):
        kernel[r + k] = np.exp(-(k**2) / (2 * sigma**2))
    kernel /= kernel.sum()
    rows, out = np.zeros((h, w)), np.zeros((h, w))
    for y in range(h):
        for x in range(w):
            for k in range(-r, r + 1):
                rows[y, x] += kernel[r + k] * at(image, y, x + k)
    for y in range(h):
        for x in range(w):
            for k in range(-r, r + 1):
                out[y, x] += kernel[r + k] * at(rows, y + k, x)
    return out


def median_filter(image):
    """Of three by three."""
    h, w = image.shape
    out, window = np.empty((h, w)), np.empty(9)
    for y in range(h):
        for x in range(w):
            for k in range(9):
                value = at(image, y - 1 + k // 3, x - 1 + k % 3)
                j = k
                while j > 0 and window[j - 1] > value:
                    window[j] = window[j - 1]
                    j -= 1
                window[j] = value
            out[y, x] = window[4]
    return out


def psnr(image, reference):
    mse = 0.0
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            mse += (image[y, x] - reference[y, x]) ** 2
    return np.inf if mse == 0 else 10 * np.log10(image.size / mse)


def total_variation(image):
    h, w = image.shape
    tv = 0.0
    for y in range(h):
        for x in range(w):
            if x > 0:
                tv += abs(image[y, x] - image[y, x - 1])
            if y > 0:
                tv += abs(image[y, x] - image[y - 1, x])
    return tv


def bilateral(clean, noise, r=3, sigma_s=2.0, sigma_r=0.2, passes=2):
    noisy = np.minimum(np.maximum(clean + noise, 0.0), 1.0)
    filtered = noisy
    for _ in range(passes):
        filtered = bilateral_filter(filtered, r, sigma_s, sigma_r)
    candidates = (noisy, filtered, gaussian_filter(noisy, r, sigma_s), median_filter(noisy))
    scores, roughness = np.empty(4), np.empty(4)
    for k in range(4):
        scores[k], roughness[k] = psnr(candidates[k], clean), total_variation(candidates[k])
    counts = np.zeros(16, dtype=np.int64)
    for value in filtered.ravel():
        counts[min(int(min(max(value, 0.0), 1.0) * 16), 15)] += 1
    return filtered, scores, roughness, np.argmax(scores), counts
