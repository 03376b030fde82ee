"""How is an image filtered?"""

import numpy as np


def convolution(image, kernel):
    """The part of the convolution where the kernel fits, one product for each entry of the kernel."""
    kh, kw = kernel.shape
    h, w = image.shape[0] - kh + 1, image.shape[1] - kw + 1
    result = np.zeros((h, w))
    for i in range(kh):
        for j in range(kw):
            result += kernel[i, j] * image[i : i + h, j : j + w]
    return result


def median(image):
    """The median of each pixel's neighbourhood, pixel by pixel."""
    h, w = image.shape
    result = image.copy()
    for i in range(1, h - 1):
        for j in range(1, w - 1):
            window = np.sort(image[i - 1 : i + 2, j - 1 : j + 2].ravel())
            result[i, j] = window[4]
    return result


def sobel(image):
    """The strength of edges, row by row."""
    h, w = image.shape
    result = np.zeros_like(image)
    for i in range(1, h - 1):
        above, here, below = image[i - 1], image[i], image[i + 1]
        smooth = above + 2 * here + below
        gx = smooth[2:] - smooth[:-2]
        change = below - above
        gy = change[2:] + 2 * change[1:-1] + change[:-2]
        result[i, 1:-1] = np.sqrt(gx * gx + gy * gy)
    return result


def equalise(image):
    """An image whose brightnesses are equally frequent: the histogram is counted pixel by pixel."""
    counts = np.zeros(256, dtype=np.int32)
    pixels = image.ravel()
    for k in range(len(pixels)):
        counts[pixels[k]] += 1
    cumulative = np.zeros(256, dtype=np.int32)
    total = 0
    for level in range(256):
        total += counts[level]
        cumulative[level] = total
    smallest = cumulative[pixels.min()]
    scale = np.round((cumulative - smallest) * 255 / (len(pixels) - smallest))
    return scale[image]


def dither(image):
    """Floyd-Steinberg: each pixel black or white, its error handed to those that follow."""
    image = image.copy()
    h, w = image.shape
    for y in range(h - 1):
        for x in range(1, w - 1):
            old = image[y, x]
            new = 255.0 if old > 127 else 0.0
            image[y, x] = new
            error = old - new
            image[y, x + 1] += error * 7 / 16
            image[y + 1, x - 1] += error * 3 / 16
            image[y + 1, x] += error * 5 / 16
            image[y + 1, x + 1] += error * 1 / 16
    return image
